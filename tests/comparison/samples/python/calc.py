import operator

LEVELS = [{"+": operator.add, "-": operator.sub}, {"*": operator.mul, "/": operator.truediv}]


def scan(text):
    position = 0
    while position < len(text):
        end = position + 1
        if text[position].isdigit():
            while end < len(text) and (text[end].isdigit() or text[end] == "."):
                end += 1
        if not text[position].isspace():
            yield text[position:end]
        position = end


def binary(symbols, level):
    if level == len(LEVELS):
        return unary(symbols)
    value = binary(symbols, level + 1)
    while symbols and symbols[0] in LEVELS[level]:
        apply = LEVELS[level][symbols.pop(0)]
        value = apply(value, binary(symbols, level + 1))
    return value


def unary(symbols):
    symbol = symbols.pop(0)
    if symbol == "-":
        return -unary(symbols)
    if symbol == "(":
        value = binary(symbols, 0)
        if not symbols or symbols.pop(0) != ")":
            raise SyntaxError("a bracket is open")
        return value
    return float(symbol)


def main(lines):
    for line in lines:
        try:
            print(line, "=", binary(list(scan(line)), 0))
        except (SyntaxError, IndexError, ZeroDivisionError) as error:
            print(line, "?", error)
