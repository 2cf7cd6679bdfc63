package org.deidentifier.arx.aggregates;

import java.io.Serializable;
import org.deidentifier.arx.DataType;

/** The fields that ARX serializes, and nothing else. */
public abstract class AggregateFunction<T> implements Serializable {
    private static final long serialVersionUID = 3803318906010996154L;
    protected DataType<T> type;

    protected AggregateFunction(DataType<T> type) {
        this.type = type;
    }

    public abstract static class AggregateFunctionWithParameter<T> extends AggregateFunction<T> {
        private static final long serialVersionUID = 1L;

        protected AggregateFunctionWithParameter(DataType<T> type) {
            super(type);
        }
    }

    public static class GenericBounds<T> extends AggregateFunction<T> {
        private static final long serialVersionUID = -8884657842545379206L;

        public GenericBounds(DataType<T> type) {
            super(type);
        }
    }

    public static class GenericConstant<T> extends AggregateFunctionWithParameter<T> {
        private static final long serialVersionUID = -8995068916108125096L;
        private String value;

        public GenericConstant(DataType<T> type, String value) {
            super(type);
            this.value = value;
        }
    }

    public static class GenericInterval<T> extends AggregateFunction<T> {
        private static final long serialVersionUID = -5182521036467379023L;
        private final boolean lowerIncluded;
        private final boolean upperIncluded;

        public GenericInterval(DataType<T> type, boolean lowerIncluded, boolean upperIncluded) {
            super(type);
            this.lowerIncluded = lowerIncluded;
            this.upperIncluded = upperIncluded;
        }
    }

    public static class GenericSet<T> extends AggregateFunction<T> {
        private static final long serialVersionUID = -4029191421720743653L;

        public GenericSet(DataType<T> type) {
            super(type);
        }
    }

    public static class GenericCommonPrefix<T> extends AggregateFunctionWithParameter<T> {
        private static final long serialVersionUID = 526809670467390820L;
        private Character redaction;

        public GenericCommonPrefix(DataType<T> type, Character redaction) {
            super(type);
            this.redaction = redaction;
        }
    }
}
