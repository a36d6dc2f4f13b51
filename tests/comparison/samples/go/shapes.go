package main

import (
	"fmt"
	"image"
	"image/color"
	"math"
)

type shape interface {
	inside(x, y float64) bool
}

type disc struct{ x, y, radius float64 }

type ring struct {
	outer, inner disc
}

func (d disc) inside(x, y float64) bool { return math.Hypot(x-d.x, y-d.y) < d.radius }

func (r ring) inside(x, y float64) bool { return r.outer.inside(x, y) && !r.inner.inside(x, y) }

func paint(size int, shapes ...shape) *image.Gray {
	picture := image.NewGray(image.Rect(0, 0, size, size))
	scale := 1 / float64(size)
	for row := 0; row < size; row++ {
		for column := 0; column < size; column++ {
			var light uint8
			for _, one := range shapes {
				if one.inside(float64(column)*scale, float64(row)*scale) {
					light = 255 - light
				}
			}
			picture.SetGray(column, row, color.Gray{Y: light})
		}
	}
	return picture
}

func share(picture *image.Gray) float64 {
	total := 0.0
	for _, light := range picture.Pix {
		total += float64(light) / 255
	}
	return total / float64(len(picture.Pix))
}

func main() {
	ball := disc{x: 0.5, y: 0.5, radius: 0.4}
	fmt.Printf("%.4f\n", share(paint(200, ball, ring{ball, disc{0.5, 0.5, 0.2}})))
}
