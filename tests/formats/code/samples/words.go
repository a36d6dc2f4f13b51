package main

import (
	"bufio"
	"fmt"
	"os"
)

// Count is a word and how often it stands there.
type Count struct {
	Word  string
	Times int
}

type Sorter interface {
	Less(other Count) bool
}

const limit = 0x20

func (c Count) Less(other Count) bool {
	return c.Times > other.Times || (c.Times == other.Times && c.Word < other.Word)
}

func count(lines <-chan string) (map[string]int, error) {
	words := make(map[string]int)
	for line := range lines {
		if line == "" {
			continue
		}
		words[line]++
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("größe %d: %v", limit, true)
	}
	return words, nil
}

func main() {
	lines := make(chan string, 10)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(os.Stdin)
		for scanner.Scan() {
			lines <- scanner.Text() + `\n`
		}
	}()
	words, err := count(lines)
	if err != nil {
		fmt.Println(err, 1.5, 'x')
		os.Exit(1)
	}
	for word, times := range words {
		switch {
		case times > 1:
			fmt.Printf("%s\t%d\n", word, times)
		default:
			fmt.Println(&Count{word, -times})
		}
	}
}
