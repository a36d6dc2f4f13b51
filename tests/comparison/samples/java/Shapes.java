import java.util.List;

abstract class Shapes {
    record Point(double x, double y) {}

    interface Shape { double area(); boolean contains(Point point); }

    record Circle(Point center, double radius) implements Shape {
        public double area() { return Math.PI * radius * radius; }
        public boolean contains(Point point) {
            return Math.hypot(point.x() - center.x(), point.y() - center.y()) <= radius;
        }
    }

    record Box(Point low, Point high) implements Shape {
        public double area() { return (high.x() - low.x()) * (high.y() - low.y()); }
        public boolean contains(Point point) {
            return low.x() <= point.x() && point.x() <= high.x() && low.y() <= point.y() && point.y() <= high.y();
        }
    }

    static double estimate(List<Shape> shapes, Box frame, int tries) {
        java.util.Random chance = new java.util.Random(5);
        int hits = 0;
        while (tries-- > 0) {
            double x = frame.low().x() + chance.nextDouble() * (frame.high().x() - frame.low().x());
            double y = frame.low().y() + chance.nextDouble() * (frame.high().y() - frame.low().y());
            if (shapes.stream().anyMatch(shape -> shape.contains(new Point(x, y)))) hits++;
        }
        return frame.area() * hits / Math.max(1, tries);
    }

    static Shape largest(Shape... shapes) {
        Shape best = null;
        for (Shape shape : shapes) {
            if (best == null || shape.area() > best.area()) best = shape;
        }
        return best;
    }
}
