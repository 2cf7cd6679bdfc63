package org.deidentifier.arx.aggregates;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.deidentifier.arx.DataType;

/** The fields that ARX serializes, and nothing else. */
public abstract class HierarchyBuilderGroupingBased<T> extends HierarchyBuilder<T> {
    private static final long serialVersionUID = 3208791665131141362L;
    private Map<Integer, Level<T>> groups = new HashMap<>();
    private DataType<T> datatype;
    protected AggregateFunction<T> function;

    protected HierarchyBuilderGroupingBased(Type type, DataType<T> datatype, AggregateFunction<T> function) {
        super(type);
        this.datatype = datatype;
        this.function = function;
    }

    public void addGroup(int level, int size, AggregateFunction<T> function) {
        groups.computeIfAbsent(level, each -> new Level<>(this, each)).list.add(new Group<>(size, function));
    }

    public static class Group<U> implements Serializable {
        private static final long serialVersionUID = -5767501048737045793L;
        private final int size;
        private final AggregateFunction<U> function;

        private Group(int size, AggregateFunction<U> function) {
            this.size = size;
            this.function = function;
        }
    }

    public static class Level<U> implements Serializable {
        private static final long serialVersionUID = 1410005675926162598L;
        private final int level;
        private final List<Group<U>> list = new ArrayList<>();
        private final HierarchyBuilderGroupingBased<U> builder;

        private Level(HierarchyBuilderGroupingBased<U> builder, int level) {
            this.builder = builder;
            this.level = level;
        }
    }

    protected abstract static class AbstractGroup implements Serializable {
        private static final long serialVersionUID = -7657969446040078411L;
        private String label;

        protected AbstractGroup(String label) {
            this.label = label;
        }
    }
}
