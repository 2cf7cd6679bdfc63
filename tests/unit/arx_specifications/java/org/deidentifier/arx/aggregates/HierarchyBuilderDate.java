package org.deidentifier.arx.aggregates;

import java.io.Serializable;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.TimeZone;
import org.deidentifier.arx.DataType.ARXDate;

/** The fields that ARX serializes, and nothing else. */
public class HierarchyBuilderDate extends HierarchyBuilder<Date> {
    private static final long serialVersionUID = 6294885577802586286L;

    public enum Granularity {
        SECOND_MINUTE_HOUR_DAY_MONTH_YEAR, MINUTE_HOUR_DAY_MONTH_YEAR, HOUR_DAY_MONTH_YEAR, DAY_MONTH_YEAR,
        WEEK_MONTH_YEAR, WEEK_YEAR, MONTH_YEAR, QUARTER_YEAR, WEEKDAY, WEEK, QUARTER, YEAR, DECADE, CENTURY,
        MILLENNIUM
    }

    public static class Format implements Serializable {
        private static final long serialVersionUID = -4412882420968107563L;
        public Map<Granularity, String> map = new HashMap<>();
    }

    private Granularity[] granularities;
    private TimeZone timeZone;
    private Format format;
    private final ARXDate datatype;
    private Date topCoding;
    private Date bottomCoding;

    public HierarchyBuilderDate(
            ARXDate type, TimeZone timeZone, Format format, Date bottom, Date top, Granularity... granularities) {
        super(Type.DATE_BASED);
        datatype = type;
        this.timeZone = timeZone;
        this.format = format;
        bottomCoding = bottom;
        topCoding = top;
        this.granularities = granularities;
    }
}
