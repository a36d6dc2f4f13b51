package main

import "fmt"

type point struct{ x, y int }

func neighbours(p point) []point {
	var found []point
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			if dx != 0 || dy != 0 {
				found = append(found, point{p.x + dx, p.y + dy})
			}
		}
	}
	return found
}

func next(alive map[point]bool) map[point]bool {
	counts := make(map[point]int)
	for cell := range alive {
		for _, p := range neighbours(cell) {
			counts[p]++
		}
	}
	result := make(map[point]bool, len(alive))
	for p, count := range counts {
		switch {
		case count == 3, count == 2 && alive[p]:
			result[p] = true
		}
	}
	return result
}

func frame(alive map[point]bool) (low, high point) {
	for p := range alive {
		low.x, low.y = min(low.x, p.x), min(low.y, p.y)
		high.x, high.y = max(high.x, p.x), max(high.y, p.y)
	}
	return
}

func main() {
	alive := map[point]bool{{1, 0}: true, {2, 1}: true, {0, 2}: true, {1, 2}: true, {2, 2}: true}
	for turn := 0; turn < 40; turn++ {
		alive = next(alive)
	}
	fmt.Println(frame(alive))
}
