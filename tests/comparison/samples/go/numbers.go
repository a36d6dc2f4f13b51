package main

import (
	"fmt"
	"math/big"
	"os"
	"strconv"
)

func generate(out chan<- int) {
	for i := 2; ; i++ {
		out <- i
	}
}

func filter(in <-chan int, out chan<- int, prime int) {
	for {
		if i := <-in; i%prime != 0 {
			out <- i
		}
	}
}

func primes(many int) (found []int) {
	source := make(chan int)
	go generate(source)
	for len(found) < many {
		prime := <-source
		found = append(found, prime)
		target := make(chan int)
		go filter(source, target, prime)
		source = target
	}
	return found
}

func pi(digits int64) *big.Int {
	unity := new(big.Int).Exp(big.NewInt(10), big.NewInt(digits+10), nil)
	sum := new(big.Int)
	for _, term := range [][2]int64{{16, 5}, {-4, 239}} {
		power := new(big.Int).Div(unity, big.NewInt(term[1]))
		square := big.NewInt(term[1] * term[1])
		for odd, sign := int64(1), term[0]; power.Sign() != 0; odd, sign = odd+2, -sign {
			part := new(big.Int).Div(power, big.NewInt(odd))
			sum.Add(sum, part.Mul(part, big.NewInt(sign)))
			power.Div(power, square)
		}
	}
	return sum.Div(sum, big.NewInt(1e10))
}

func main() {
	many, err := strconv.Atoi(os.Args[1])
	if err != nil || many < 1 {
		panic("a number is wanted")
	}
	fmt.Println(primes(many), pi(50))
}
