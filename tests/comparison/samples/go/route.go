package main

import (
	"container/heap"
	"fmt"
)

type item struct {
	town string
	cost int
}

type queue []item

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) { *q = append(*q, x.(item)) }

func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

func walk(roads map[string]map[string]int, start, goal string) (int, error) {
	seen := map[string]struct{}{}
	open := &queue{{start, 0}}
	for open.Len() > 0 {
		here := heap.Pop(open).(item)
		if here.town == goal {
			return here.cost, nil
		}
		if _, ok := seen[here.town]; ok {
			continue
		}
		seen[here.town] = struct{}{}
		for town, cost := range roads[here.town] {
			heap.Push(open, item{town, here.cost + cost})
		}
	}
	return 0, fmt.Errorf("no way from %s to %s", start, goal)
}

func main() {
	roads := map[string]map[string]int{"a": {"b": 3, "c": 9}, "b": {"c": 4}}
	fmt.Println(walk(roads, "a", "c"))
}
