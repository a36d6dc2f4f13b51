Imports System
Imports System.Collections.Generic

' Orders of a shop.
Public Class Order
    Private amount As Integer
    Private owner As String = "größe"

    Public Sub New(name As String, number As Integer)
        owner = name
        amount = number
    End Sub

    Public Function Price(rate As Double) As Double
        If amount > 10 AndAlso rate <> 0 Then
            Return amount * rate - 2.5
        ElseIf amount = 1 Then
            Return rate
        Else
            Return amount * rate
        End If
    End Function
End Class

Public Module Shop
    Private orders As New List(Of Order)

    Function Total(rate As Double) As Double
        Dim sum As Double = 0
        For Each item As Order In orders
            sum += item.Price(rate)
        Next
        Return sum
    End Function

    Sub Main()
        Dim index As Integer = 0
        While index < 5
            orders.Add(New Order("Ada", index * 3))
            index += 1
        End While
        For round As Integer = 1 To 3
            Console.WriteLine(Total(round))
        Next
        Select Case index
            Case 1
                Console.WriteLine("one")
            Case Else
                Console.WriteLine("many")
        End Select
        Do Until index = 0
            index = index - 1
        Loop
    End Sub
End Module
