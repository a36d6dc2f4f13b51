;; Reads sums such as 1 + 2 * 3, größe unbounded.
(defpackage :sums (:use :cl))
(in-package :sums)

(defstruct node operator left right)

(defvar *limit* 100)
(defparameter *label* "größe")

(defun digit-of (sign)
  (digit-char-p sign))

(defun read-number (text start)
  (let ((value 0) (place start))
    (loop while (and (< place (length text)) (digit-of (char text place)))
          do (setf value (+ (* value 10) (digit-of (char text place))))
             (incf place))
    (values value place)))

(defun evaluate (tree)
  (if (numberp tree)
      tree
      (let ((left (evaluate (node-left tree)))
            (right (evaluate (node-right tree))))
        (case (node-operator tree)
          (:plus (+ left right))
          (:times (* left right))
          (otherwise (error "größe"))))))

#| How deep a tree is. |#
(defun depth (tree)
  (cond ((numberp tree) 0)
        ((null tree) -1)
        (t (1+ (max (depth (node-left tree)) (depth (node-right tree)))))))

(defmacro unless-large (value &body body)
  `(when (<= ,value *limit*) ,@body))

(dolist (number '(1 2.5 3))
  (unless-large number
    (format t "~a ~a~%" *label* (mapcar #'evaluate (list number)))))
