package org.deidentifier.arx.aggregates;

import java.io.Serializable;

/** The fields that ARX serializes, and nothing else. */
public abstract class HierarchyBuilder<T> implements Serializable {
    public enum Type { INTERVAL_BASED, ORDER_BASED, REDACTION_BASED, DATE_BASED, PRIORITY_BASED }

    private static final long serialVersionUID = -4182364711973630816L;
    private Type type;

    protected HierarchyBuilder(Type type) {
        this.type = type;
    }
}
