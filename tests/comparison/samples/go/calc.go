package main

import (
	"errors"
	"strconv"
	"unicode"
)

type node interface{ value() (float64, error) }

type number float64

type pair struct {
	sign        rune
	left, right node
}

func (n number) value() (float64, error) { return float64(n), nil }

func (p pair) value() (float64, error) {
	left, err := p.left.value()
	if err != nil {
		return 0, err
	}
	right, err := p.right.value()
	if err != nil {
		return 0, err
	}
	switch p.sign {
	case '+':
		return left + right, nil
	case '-':
		return left - right, nil
	case '*':
		return left * right, nil
	}
	if right == 0 {
		return 0, errors.New("division by zero")
	}
	return left / right, nil
}

func digits(text []rune) (string, []rune) {
	end := 0
	for end < len(text) && (unicode.IsDigit(text[end]) || text[end] == '.') {
		end++
	}
	return string(text[:end]), text[end:]
}

func parse(text []rune, signs string) (node, []rune) {
	head, rest := digits(text)
	parsed, _ := strconv.ParseFloat(head, 64)
	var tree node = number(parsed)
	for len(rest) > 0 {
		sign := rest[0]
		head, rest = digits(rest[1:])
		parsed, _ = strconv.ParseFloat(head, 64)
		tree = pair{sign, tree, number(parsed)}
	}
	return tree, rest
}
