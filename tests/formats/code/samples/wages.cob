       IDENTIFICATION DIVISION.
       PROGRAM-ID. WAGES.
      * Pays workers by the hour, größe of the sum is shown.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WORKER-NAME PIC X(20) VALUE "Ada".
       01 HOURS-DONE PIC 9(3) VALUE 40.
       01 HOURLY-RATE PIC 9(3) VALUE 25.
       01 TOTAL-PAY PIC 9(6) VALUE 0.
       01 ROUND-NUMBER PIC 9(2) VALUE 1.
       01 BONUS-PAY PIC 9(4) VALUE 0.

       PROCEDURE DIVISION.
       MAIN-PART.
           MOVE 0 TO TOTAL-PAY.
           PERFORM PAY-PART UNTIL ROUND-NUMBER > 5.
           PERFORM SHOW-PART.
           STOP RUN.

       PAY-PART.
           MULTIPLY HOURS-DONE BY HOURLY-RATE GIVING BONUS-PAY.
           IF HOURS-DONE > 38 AND ROUND-NUMBER = 2
               ADD 100 TO BONUS-PAY
           ELSE
               SUBTRACT 1 FROM BONUS-PAY
           END-IF.
           ADD BONUS-PAY TO TOTAL-PAY.
           COMPUTE HOURLY-RATE = HOURLY-RATE * 2 - 1.
           ADD 1 TO ROUND-NUMBER.

       SHOW-PART.
           DISPLAY "größe " TOTAL-PAY.
           EVALUATE ROUND-NUMBER
               WHEN 1
                   DISPLAY "one"
               WHEN OTHER
                   DISPLAY WORKER-NAME
           END-EVALUATE.
           IF TOTAL-PAY > 1000
               MOVE "rich" TO WORKER-NAME
           END-IF.
