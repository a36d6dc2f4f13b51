#!/usr/bin/tclsh
package require Tcl 8.5

# A turtle that walks and turns, größe of a step is set.
set place 0
set angle 90
set label "größe"

proc turn {by} {
    global angle
    set angle [expr {($angle + $by) % 360}]
    return $angle
}

proc walk {steps size} {
    global place
    for {set index 0} {$index < $steps} {incr index} {
        set place [expr {$place + $size * 2.5}]
        if {$place > 100} {
            set place 0
            break
        } elseif {$place == 50} {
            continue
        } else {
            incr count
        }
    }
    return $place
}

proc total {numbers} {
    set sum 0
    foreach number $numbers {
        set sum [expr {$sum + $number}]
    }
    return $sum
}

set rounds 3
while {$rounds > 0} {
    turn 45
    walk $rounds 10
    set rounds [expr {$rounds - 1}]
}

switch $angle {
    90 { puts "up" }
    180 { puts "left" }
    default { puts $label }
}

puts [total {1 2 3 4}]
