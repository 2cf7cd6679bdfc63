package org.deidentifier.arx.aggregates;

import java.io.Serializable;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.deidentifier.arx.DataType;

/** The fields that ARX serializes, and nothing else. */
public class HierarchyBuilderOrderBased<T> extends HierarchyBuilderGroupingBased<T> {
    private static final long serialVersionUID = -2749758635401073668L;
    private final Comparator<String> comparator;

    public abstract static class SerializableComparator<T> implements Comparator<T>, Serializable {
        private static final long serialVersionUID = 3851134667082727602L;
    }

    public HierarchyBuilderOrderBased(DataType<T> type, AggregateFunction<T> function, boolean order) {
        super(Type.ORDER_BASED, type, function);
        comparator = !order ? null : new SerializableComparator<String>() {
            private static final long serialVersionUID = -5728888259809544706L;

            @Override
            public int compare(String a, String b) {
                return type.hashCode();
            }
        };
    }

    public HierarchyBuilderOrderBased(DataType<T> type, AggregateFunction<T> function, String... order) {
        super(Type.ORDER_BASED, type, function);
        Map<String, Integer> map = new HashMap<>();
        for (String value : order) map.put(value, map.size());
        comparator = new SerializableComparator<String>() {
            private static final long serialVersionUID = 8016783606581696832L;

            @Override
            public int compare(String a, String b) {
                return map.get(a).compareTo(map.get(b));
            }
        };
    }
}
