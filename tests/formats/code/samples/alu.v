`timescale 1ns / 1ps
// An arithmetic unit: größe in bits is a parameter.
module alu #(parameter WIDTH = 8) (
  input wire clock,
  input wire reset,
  input wire [WIDTH-1:0] left,
  input wire [WIDTH-1:0] right,
  input wire [2:0] operation,
  output reg [WIDTH-1:0] result,
  output wire zero
);

  reg [WIDTH-1:0] held;
  wire [WIDTH-1:0] sum;
  integer index;

  assign sum = left + right;
  assign zero = (result == 0);

  /* What is done depends on the operation. */
  always @(posedge clock or negedge reset) begin
    if (!reset) begin
      result <= 0;
      held <= 8'h00;
    end else begin
      case (operation)
        3'b000: result <= sum;
        3'b001: result <= left - right;
        3'b010: result <= left & right;
        3'b011: result <= left | ~right;
        default: result <= held;
      endcase
      held <= result << 1;
    end
  end

  function [WIDTH-1:0] parity;
    input [WIDTH-1:0] word;
    begin
      parity = 0;
      for (index = 0; index < WIDTH; index = index + 1)
        parity = parity ^ (word >> index);
    end
  endfunction

  initial begin
    held = 4'd5;
    $display("größe %d", held);
    while (held > 0) held = held - 1;
  end

endmodule
