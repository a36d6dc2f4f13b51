; Finds the largest of some numbers, größe is a byte.
        org 100h

section .data
numbers db 12, 7, 99, 3, 45, 60
count   db 6
message db "größe: $"
largest db 0

section .text
start:
        mov ax, 0
        mov si, numbers
        mov cl, [count]
        mov ch, 0
        mov bl, [si]
scan:
        cmp bl, [si]
        jge smaller
        mov bl, [si]
smaller:
        inc si
        loop scan
        mov [largest], bl

print:
        mov dx, message
        mov ah, 9
        int 21h
        mov al, [largest]
        xor ah, ah
        mov bl, 10
        div bl
        add al, 48
        add ah, 48
        push ax
        mov dl, al
        mov ah, 2
        int 21h
        pop ax
        mov dl, ah
        mov ah, 2
        int 21h
        call leave_now

leave_now:
        mov ah, 4ch
        int 21h
        ret
