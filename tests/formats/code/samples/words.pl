#!/usr/bin/perl
use strict;
use warnings;

# Counts the words of files.
my %count;
my @files = @ARGV;
my $limit = 10;
my $label = "größe";

sub normal {
    my ($word) = @_;
    $word =~ s/[^a-z]//g;
    return lc($word);
}

sub count_words {
    my ($file, $least) = @_;
    my $total = 0;
    open(my $handle, '<', $file) or die "cannot open $file";
    while (my $line = <$handle>) {
        chomp $line;
        foreach my $word (split /\s+/, $line) {
            next if length($word) < $least;
            $count{normal($word)}++;
            $total += 1;
        }
    }
    close($handle);
    return $total;
}

my $sum = 0;
for my $file (@files) {
    $sum += count_words($file, 3);
}

my @ranked = sort { $count{$b} <=> $count{$a} } keys %count;
for (my $index = 0; $index < $limit && $index < @ranked; $index++) {
    my $word = $ranked[$index];
    printf("%s %d %.2f\n", $word, $count{$word}, $count{$word} / $sum * 2.5);
}

unless (@ranked) {
    print "$label: nothing\n";
} else {
    print join(', ', map { uc $_ } @ranked), "\n";
}
