class Life {
    private boolean[][] grid;
    private final int size;

    Life(int size) {
        this.size = size;
        this.grid = new boolean[size][size];
    }

    private int neighbours(int row, int column) {
        int count = 0;
        for (int down = -1; down <= 1; down++) {
            for (int right = -1; right <= 1; right++) {
                boolean self = down == 0 && right == 0;
                if (!self && grid[(row + down + size) % size][(column + right + size) % size]) {
                    count++;
                }
            }
        }
        return count;
    }

    void step() {
        boolean[][] fresh = new boolean[size][size];
        for (int row = 0; row < size; row++) {
            for (int column = 0; column < size; column++) {
                int count = neighbours(row, column);
                fresh[row][column] = count == 3 || count == 2 && grid[row][column];
            }
        }
        grid = fresh;
    }

    void glider(int row, int column) {
        int[][] cells = {{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
        for (int[] cell : cells) {
            grid[row + cell[0]][column + cell[1]] = true;
        }
    }

    public static void main(String[] arguments) {
        Life life = new Life(16);
        life.glider(3, 3);
        life.step();
    }
}
