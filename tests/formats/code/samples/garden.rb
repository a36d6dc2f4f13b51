#!/usr/bin/env ruby
# What grows where.

module Garden
  LIMIT = 0x20

  class Plant
    attr_reader :name, :height

    def initialize(name, height = 1.5)
      @name = name
      @height = height
      @@count = 0
    end

    # plants need water
    def grow(days, rain: false)
      days.times do |day|
        if rain && day % 2 == 0
          @height += 0.5
        elsif !rain
          @height -= 1
        else
          next
        end
      end
      self
    end

    def to_s
      "#{@name} ist #{@height} größer"
    end
  end

  class Bed
    def initialize
      @plants = []
    end

    def add(plant)
      raise ArgumentError, "full" unless @plants.length < LIMIT
      @plants << plant
    end

    def tallest
      @plants.select { |plant| plant.name =~ /^[a-z]+$/i }.max_by(&:height) || nil
    end
  end
end

bed = Garden::Bed.new
%w[rose fern].each_with_index do |name, index|
  bed.add(Garden::Plant.new(name, index))
end
begin
  puts bed.tallest.grow(3, rain: true).to_s
rescue NoMethodError => error
  puts error.message
ensure
  while false do break end
end
