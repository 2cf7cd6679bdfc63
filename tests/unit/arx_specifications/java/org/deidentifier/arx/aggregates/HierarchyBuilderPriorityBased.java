package org.deidentifier.arx.aggregates;

/** Only the name counts: it is refused. */
public class HierarchyBuilderPriorityBased<T> extends HierarchyBuilder<T> {
    private static final long serialVersionUID = 1L;

    public HierarchyBuilderPriorityBased() {
        super(Type.PRIORITY_BASED);
    }
}
