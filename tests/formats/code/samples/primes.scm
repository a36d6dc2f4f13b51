; Primes and small lists, größe is a number.
(define limit 100)

(define (divides? a b)
  (= (remainder b a) 0))

(define (prime? n)
  (let loop ((candidate 2))
    (cond ((> (* candidate candidate) n) #t)
          ((divides? candidate n) #f)
          (else (loop (+ candidate 1))))))

(define (primes from to)
  (if (> from to)
      '()
      (if (prime? from)
          (cons from (primes (+ from 1) to))
          (primes (+ from 1) to))))

(define (sum items)
  (if (null? items)
      0
      (+ (car items) (sum (cdr items)))))

(define-record-type point
  (make-point x y)
  point?
  (x point-x)
  (y point-y))

(define (weigh items weight)
  (map (lambda (item) (* item weight 2.5)) items))

(define (fold-left step start items)
  (do ((rest items (cdr rest))
       (state start (step state (car rest))))
      ((null? rest) state)))

(let* ((found (primes 2 limit))
       (total (sum found)))
  (display "größe ")
  (display (weigh found total))
  (when (and (> total 10) (not (= total 12)))
    (set! limit (- limit 1))
    (newline)))
