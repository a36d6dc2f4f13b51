package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

type entry struct {
	word  string
	times int
}

func count(in io.Reader) (map[string]int, error) {
	found := map[string]int{}
	scanner := bufio.NewScanner(in)
	scanner.Split(bufio.ScanWords)
	for scanner.Scan() {
		word := strings.ToLower(strings.Trim(scanner.Text(), ".,;:!?\"()"))
		if word != "" {
			found[word]++
		}
	}
	return found, scanner.Err()
}

func ranked(found map[string]int) []entry {
	entries := make([]entry, 0, len(found))
	for word, times := range found {
		entries = append(entries, entry{word, times})
	}
	sort.Slice(entries, func(i, j int) bool {
		if entries[i].times != entries[j].times {
			return entries[i].times > entries[j].times
		}
		return entries[i].word < entries[j].word
	})
	return entries
}

func capitals(text string) string {
	var out strings.Builder
	start := true
	for _, letter := range text {
		if start {
			out.WriteString(strings.ToUpper(string(letter)))
		} else {
			out.WriteRune(letter)
		}
		start = letter == ' ' || letter == '-'
	}
	return out.String()
}

func main() {
	found, err := count(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(ranked(found), capitals("the end"))
}
