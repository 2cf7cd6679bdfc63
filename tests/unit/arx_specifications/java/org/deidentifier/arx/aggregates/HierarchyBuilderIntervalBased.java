package org.deidentifier.arx.aggregates;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.deidentifier.arx.DataType;

/** The fields that ARX serializes, and nothing else. */
public class HierarchyBuilderIntervalBased<T> extends HierarchyBuilderGroupingBased<T> {
    private static final long serialVersionUID = 3663874945543082808L;
    private Range<T> lowerRange;
    private Range<T> upperRange;
    private List<Interval<T>> intervals = new ArrayList<>();

    public HierarchyBuilderIntervalBased(
            DataType<T> type, AggregateFunction<T> function, Range<T> lowerRange, Range<T> upperRange) {
        super(Type.INTERVAL_BASED, type, function);
        this.lowerRange = lowerRange;
        this.upperRange = upperRange;
    }

    public void addInterval(T min, T max, AggregateFunction<T> function) {
        intervals.add(new Interval<>(this, min, max, function));
    }

    public static class Interval<T> extends AbstractGroup {
        private static final long serialVersionUID = 5985820929677249525L;
        private final AggregateFunction<T> function;
        private final T max;
        private final T min;
        private final HierarchyBuilderGroupingBased<T> builder;
        private final Boolean lower = null;

        private Interval(HierarchyBuilderGroupingBased<T> builder, T min, T max, AggregateFunction<T> function) {
            super("not read");
            this.builder = builder;
            this.min = min;
            this.max = max;
            this.function = function;
        }
    }

    public static class Range<U> implements Serializable {
        private static final long serialVersionUID = -5385139177770612960L;
        private U repeatBound;
        private U snapBound;
        private U labelBound;

        public Range(U repeatBound, U snapBound, U labelBound) {
            this.repeatBound = repeatBound;
            this.snapBound = snapBound;
            this.labelBound = labelBound;
        }
    }
}
