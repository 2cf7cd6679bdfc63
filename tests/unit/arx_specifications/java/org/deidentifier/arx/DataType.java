package org.deidentifier.arx;

import java.io.Serializable;
import java.text.DecimalFormat;
import java.text.SimpleDateFormat;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The fields that ARX serializes, and nothing else. */
public abstract class DataType<T> implements Serializable, Comparator<T> {
    private static final long serialVersionUID = -4380267779210935078L;

    @Override
    public int compare(T a, T b) {
        throw new UnsupportedOperationException();
    }

    public static class ARXInteger extends DataType<Long> {
        private static final long serialVersionUID = -631163546929231044L;
        private final DecimalFormat format;
        private final String string;
        private final Locale locale = null;

        public ARXInteger(String pattern) {
            format = pattern == null ? null : new DecimalFormat(pattern);
            string = pattern;
        }
    }

    public static class ARXDecimal extends DataType<Double> {
        private static final long serialVersionUID = 7293446977526103610L;
        private final DecimalFormat format = null;
        private final String string = null;
        private final Locale locale = null;
    }

    public static class ARXString extends DataType<String> {
        private static final long serialVersionUID = 903334212175979691L;
    }

    public static class ARXOrderedString extends DataType<String> {
        private static final long serialVersionUID = -830897705078418835L;
        private final Map<String, Integer> order = new HashMap<>();

        public ARXOrderedString(String... values) {
            for (String value : values) order.put(value, order.size());
        }
    }

    public static class ARXDate extends DataType<Date> {
        private static final long serialVersionUID = -1658470914184442833L;
        private final SimpleDateFormat format;
        private final String string;
        private final Locale locale;

        public ARXDate(String pattern, Locale locale) {
            format = new SimpleDateFormat(pattern, locale);
            string = pattern;
            this.locale = locale;
        }
    }
}
