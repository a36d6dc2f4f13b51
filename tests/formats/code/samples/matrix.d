module matrix;

import std.stdio;
import std.math : sqrt;

// A matrix of numbers.
struct Matrix
{
    double[] cells;
    size_t wide;
    size_t high;

    this(size_t wide, size_t high)
    {
        this.wide = wide;
        this.high = high;
        cells = new double[wide * high];
    }

    double get(size_t row, size_t column)
    {
        return cells[row * wide + column];
    }

    void set(size_t row, size_t column, double value)
    {
        if (row >= high || column >= wide)
        {
            throw new Exception("größe");
        }
        cells[row * wide + column] = value;
    }
}

/* The length of all cells as a vector. */
double norm(Matrix matrix)
{
    double sum = 0;
    foreach (cell; matrix.cells)
    {
        sum += cell * cell;
    }
    int rounds = 0;
    while (rounds < 10 && sum > 2.5)
    {
        rounds++;
        sum = sum - 1;
    }
    return sqrt(sum);
}

void main()
{
    auto matrix = Matrix(3, 4);
    for (int i = 0; i < 3; i++)
    {
        matrix.set(i, i, i == 1 ? 2 : 'x');
    }
    writeln(norm(matrix));
}
