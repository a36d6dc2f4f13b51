class Calc {
    private final String text;
    private int at;

    Calc(String text) {
        this.text = text.replace(" ", "");
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    double sum() {
        double value = product();
        while (peek() == '+' || peek() == '-') {
            char sign = text.charAt(at++);
            double next = product();
            value = sign == '+' ? value + next : value - next;
        }
        return value;
    }

    double product() {
        double value = atom();
        while (true) {
            switch (peek()) {
                case '*':
                    at++;
                    value *= atom();
                    break;
                case '/':
                    at++;
                    value /= atom();
                    break;
                default:
                    return value;
            }
        }
    }

    double atom() {
        if (peek() == '(') {
            at++;
            double inner = sum();
            if (peek() != ')') throw new IllegalArgumentException("bracket at " + at);
            at++;
            return inner;
        }
        int begin = at;
        do { at++; } while (Character.isDigit(peek()) || peek() == '.');
        return Double.parseDouble(text.substring(begin, at));
    }
}
