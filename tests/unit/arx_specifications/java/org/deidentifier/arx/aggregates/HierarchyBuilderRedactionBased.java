package org.deidentifier.arx.aggregates;

/** The fields that ARX serializes, and nothing else. */
public class HierarchyBuilderRedactionBased<T> extends HierarchyBuilder<T> {
    private static final long serialVersionUID = 3625654600380531803L;

    public enum Order { LEFT_TO_RIGHT, RIGHT_TO_LEFT }

    private Order aligmentOrder;
    private char paddingCharacter;
    private char redactionCharacter;
    private Order redactionOrder;
    private Double maxValueLength = 5.0;
    private Double domainSize = 100000.0;
    private Double alphabetSize = 10.0;

    public HierarchyBuilderRedactionBased(Order alignment, Order redaction, char padding, char sign) {
        super(Type.REDACTION_BASED);
        aligmentOrder = alignment;
        redactionOrder = redaction;
        paddingCharacter = padding;
        redactionCharacter = sign;
    }
}
