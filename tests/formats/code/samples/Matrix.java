package org.example.numbers;

import java.util.ArrayList;
import java.util.List;

/** A small matrix. */
@SuppressWarnings("unchecked")
public final class Matrix implements Comparable<Matrix> {
    private static final double EPSILON = 1e-9;
    private final double[][] cells;
    protected int rows = 0x10, columns = 2;

    public Matrix(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        this.cells = new double[rows][columns];
    }

    // row by column
    public Matrix times(final Matrix other) throws IllegalArgumentException {
        if (columns != other.rows || other == null) {
            throw new IllegalArgumentException("größe passt nicht: " + other.rows);
        }
        Matrix result = new Matrix(rows, other.columns);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < other.columns; ++j) {
                double sum = 0.0;
                int k = 0;
                while (k < columns) {
                    sum += cells[i][k] * other.cells[k][j];
                    k++;
                }
                result.cells[i][j] = Math.abs(sum) < EPSILON ? 0 : sum;
            }
        }
        return result;
    }

    @Override
    public int compareTo(Matrix other) {
        List<String> names = new ArrayList<>();
        names.forEach(name -> System.out.println(name + '\n'));
        switch (other.rows) {
            case 1:
                return -1;
            default:
                return other instanceof Matrix && !names.isEmpty() ? 1 : 0;
        }
    }
}
