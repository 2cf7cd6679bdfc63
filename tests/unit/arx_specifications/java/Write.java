import java.io.File;
import java.io.FileOutputStream;
import java.io.ObjectOutputStream;
import java.util.Locale;
import java.util.TimeZone;
import org.deidentifier.arx.DataType.*;
import org.deidentifier.arx.aggregates.*;
import org.deidentifier.arx.aggregates.AggregateFunction.*;
import org.deidentifier.arx.aggregates.HierarchyBuilderDate.Format;
import org.deidentifier.arx.aggregates.HierarchyBuilderDate.Granularity;
import org.deidentifier.arx.aggregates.HierarchyBuilderIntervalBased.Range;
import org.deidentifier.arx.aggregates.HierarchyBuilderRedactionBased.Order;

/** Writes the specifications that the tests read. */
public class Write {
    static File folder;

    static void save(String name, Object builder) throws Exception {
        try (ObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(new File(folder, name + ".ahs")))) {
            out.writeObject(builder);
        }
    }

    static void intervals() throws Exception {
        ARXInteger whole = new ARXInteger(null);
        AggregateFunction<Long> open = new GenericInterval<>(whole, true, false);
        var ages = new HierarchyBuilderIntervalBased<>(
                whole, open, new Range<>(10L, 5L, 0L), new Range<>(80L, 90L, 120L));
        ages.addInterval(0L, 5L, open);
        ages.addGroup(0, 2, open);
        ages.addGroup(1, 2, open);
        save("ages", ages);

        var named = new HierarchyBuilderIntervalBased<>(
                whole, open, new Range<Long>(null, null, null), new Range<Long>(null, null, null));
        named.addInterval(0L, 18L, new GenericConstant<>(whole, "minor"));
        named.addInterval(18L, 65L, new GenericConstant<>(whole, "adult"));
        named.addInterval(65L, 120L, new GenericConstant<>(whole, "senior"));
        save("named", named);

        ARXDecimal decimal = new ARXDecimal();
        AggregateFunction<Double> closed = new GenericInterval<>(decimal, true, true);
        var doses = new HierarchyBuilderIntervalBased<>(
                decimal, closed, new Range<>(0.0, 0.0, 0.0), new Range<>(1e7, 1e7, 2e7));
        doses.addInterval(0.0, 0.5, closed);
        doses.addInterval(0.5, 2.0, closed);
        doses.addGroup(0, 2, closed);
        save("doses", doses);

        AggregateFunction<Long> untrue = new GenericInterval<>(whole, false, true);
        var excluded = new HierarchyBuilderIntervalBased<>(
                whole, untrue, new Range<Long>(null, null, null), new Range<Long>(null, null, null));
        excluded.addInterval(0L, 100L, untrue);
        save("excluded", excluded);

        ARXInteger patterned = new ARXInteger("#,##0");
        AggregateFunction<Long> function = new GenericInterval<>(patterned, true, false);
        var pattern = new HierarchyBuilderIntervalBased<>(
                patterned, function, new Range<Long>(null, null, null), new Range<Long>(null, null, null));
        pattern.addInterval(0L, 5000L, function);
        save("pattern", pattern);
    }

    static void orders() throws Exception {
        ARXString text = new ARXString();
        AggregateFunction<String> set = new GenericSet<>(text);
        var schools = new HierarchyBuilderOrderBased<>(text, set, "none", "school", "trade", "bachelor", "master");
        schools.addGroup(0, 2, set);
        schools.addGroup(0, 3, new GenericConstant<>(text, "higher"));
        save("schools", schools);

        ARXInteger whole = new ARXInteger(null);
        AggregateFunction<Long> bounds = new GenericBounds<>(whole);
        var sizes = new HierarchyBuilderOrderBased<>(whole, bounds, true);
        sizes.addGroup(0, 2, bounds);
        sizes.addGroup(1, 2, new GenericInterval<>(whole, true, true));
        save("sizes", sizes);

        ARXOrderedString scale = new ARXOrderedString("low", "medium", "high");
        var grades = new HierarchyBuilderOrderBased<>(scale, new GenericSet<>(scale), true);
        grades.addGroup(0, 2, new GenericSet<>(scale));
        save("grades", grades);

        var given = new HierarchyBuilderOrderBased<>(text, set, false);
        given.addGroup(0, 2, set);
        save("given-order", given);

        var prefixes = new HierarchyBuilderOrderBased<>(text, set, true);
        prefixes.addGroup(0, 2, new GenericCommonPrefix<>(text, '*'));
        save("common-prefix", prefixes);
    }

    static void redactions() throws Exception {
        save("postcodes", new HierarchyBuilderRedactionBased<>(
                Order.LEFT_TO_RIGHT, Order.RIGHT_TO_LEFT, '*', '*'));
        save("numbers-from-left", new HierarchyBuilderRedactionBased<>(
                Order.RIGHT_TO_LEFT, Order.LEFT_TO_RIGHT, ' ', 'x'));
        save("padded", new HierarchyBuilderRedactionBased<>(
                Order.RIGHT_TO_LEFT, Order.RIGHT_TO_LEFT, '0', '*'));
        save("spaced", new HierarchyBuilderRedactionBased<>(
                Order.RIGHT_TO_LEFT, Order.LEFT_TO_RIGHT, ' ', '*'));
    }

    static void dates() throws Exception {
        ARXDate german = new ARXDate("dd.MM.yyyy", Locale.GERMANY);
        save("visits", new HierarchyBuilderDate(german, null, null, null, null,
                Granularity.MONTH_YEAR, Granularity.YEAR, Granularity.DECADE, Granularity.CENTURY,
                Granularity.MILLENNIUM));
        Format format = new Format();
        format.map.put(Granularity.MONTH_YEAR, "yyyy-MM");
        save("months", new HierarchyBuilderDate(new ARXDate("yyyy-MM-dd", Locale.US), TimeZone.getTimeZone("UTC"),
                format, null, null, Granularity.MONTH_YEAR, Granularity.YEAR));
    }

    public static void main(String[] arguments) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        folder = new File(arguments[0]);
        intervals();
        orders();
        redactions();
        dates();
        save("priority", new HierarchyBuilderPriorityBased<>());
        save("no-builder", new java.util.ArrayDeque<>(java.util.List.of("x")));
    }
}
