(ns ledger.core
  (:require [clojure.string :as string]))

; Entries of a ledger, größe of each in cents.
(def limit 1000)

(defn entry [title amount]
  {:title title :amount amount :open true})

(defn total [entries]
  (reduce + (map :amount entries)))

(defn close-entry [entry]
  (assoc entry :open false))

(defn large? [entry]
  (and (> (:amount entry) limit) (not= (:title entry) "größe")))

(defn rank [amount]
  (cond
    (> amount 500) "high"
    (> amount 100) "middle"
    :else "low"))

(defn average [entries]
  (if (empty? entries)
    0
    (/ (total entries) (count entries) 2.5)))

(defn walk [entries]
  (loop [rest-of entries sum 0]
    (if (seq rest-of)
      (recur (rest rest-of) (+ sum (:amount (first rest-of))))
      sum)))

(let [entries [(entry "rent" 900) (entry "food" 250)]
      closed (map close-entry entries)]
  (doseq [one closed]
    (println (:title one) (rank (:amount one))))
  (when (> (walk closed) 10)
    (println (average (filter large? closed)))))
