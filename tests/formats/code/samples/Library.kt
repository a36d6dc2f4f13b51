package org.example.library

import kotlin.math.max

// A library that lends books.
data class Book(val title: String, val pages: Int, var lent: Boolean = false)

sealed class Answer
class Lent(val book: Book) : Answer()
object Missing : Answer()

class Library(private val owner: String) {
    private val books = mutableListOf<Book>()
    private var longest = 0

    fun add(title: String, pages: Int): Library {
        books.add(Book(title, pages))
        longest = max(longest, pages)
        return this
    }

    fun lend(title: String): Answer {
        for (book in books) {
            if (book.title == title && !book.lent) {
                book.lent = true
                return Lent(book)
            }
        }
        return Missing
    }

    /* How thick the shelf is, in pages. */
    fun thickness(): Int {
        var total = 0
        var index = 0
        while (index < books.size) {
            total += books[index].pages * 2 - 1
            index++
        }
        return total
    }

    fun rank(pages: Int): String = when {
        pages > 500 -> "thick"
        pages in 100..500 -> "größe"
        else -> "thin"
    }
}

fun main() {
    val library = Library("Ada").add("Graphs", 320).add("Trees", 90)
    val answer = library.lend("Trees")
    if (answer is Lent) println("lent ${answer.book.title}") else println('n')
    println(library.thickness() / 2.5)
}
