"""Operations, methods and constructors whose arguments or results meant something else in earlier versions."""
