#include <iostream>
#include <memory>
#include <vector>

using namespace std;

namespace shapes {

// Anything with an area.
class Shape {
public:
    explicit Shape(string name) : name_(std::move(name)) {}
    virtual ~Shape() = default;
    virtual double area() const noexcept = 0;
    const string &name() const { return name_; }

private:
    string name_;
};

class Circle final : public Shape {
public:
    Circle(double radius) : Shape("Kreis ø"), radius_(radius) {}
    double area() const noexcept override { return 3.14159 * radius_ * radius_; }

private:
    double radius_ = 0;
};

template <typename T>
T largest(const vector<T> &values, T floor) {
    T best = floor;
    for (const auto &value : values) {
        if (value > best) {
            best = value;
        }
    }
    return best;
}

}  // namespace shapes

int main() {
    vector<unique_ptr<shapes::Shape>> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(make_unique<shapes::Circle>(i + 0.5));
    }
    vector<double> areas;
    auto measure = [&areas](const auto &shape) { areas.push_back(shape->area()); };
    for (auto &shape : all) {
        measure(shape);
        cout << shape->name() << ": " << areas.back() << '\n';
    }
    return shapes::largest(areas, 0.0) > 1 ? 0 : 1;
}
