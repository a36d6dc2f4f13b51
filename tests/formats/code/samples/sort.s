# Sorts an array by bubbles, größe is eight.
        .data
numbers: .word 7, 3, 9, 1, 8, 2, 6, 4
count:  .word 8
message: .asciiz "größe sorted: "
space:  .asciiz " "

        .text
        .globl main
main:
        la $t0, numbers
        lw $t1, count
        addi $t1, $t1, -1
outer:
        blez $t1, print
        move $t2, $zero
        la $t3, numbers
inner:
        bge $t2, $t1, next
        lw $t4, 0($t3)
        lw $t5, 4($t3)
        ble $t4, $t5, keep
        sw $t5, 0($t3)
        sw $t4, 4($t3)
keep:
        addi $t3, $t3, 4
        addi $t2, $t2, 1
        j inner
next:
        addi $t1, $t1, -1
        j outer
print:
        li $v0, 4
        la $a0, message
        syscall
        lw $t1, count
loop:
        beqz $t1, exit
        lw $a0, 0($t0)
        li $v0, 1
        syscall
        addi $t0, $t0, 4
        addi $t1, $t1, -1
        j loop
exit:
        li $v0, 10
        syscall
