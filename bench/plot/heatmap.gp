# Speed-up over block size and ranks: faster is blue, slower is red, as many times faster as slower is as deep a color.
# Usage: gnuplot -c heatmap.gp DATA COLUMNS ROWS TITLE OUT
# DATA has a line for each cell: column, row, speed-up, label, column's name, row's name. Row 0, at the bottom, is the sum
# of all others. Writes OUT.svg and OUT.png.
data = ARG1
columns = ARG2 + 0
rows = ARG3 + 0
set title ARG4 noenhanced
set xlabel "ranks"
set ylabel "block size"
set cblabel "speed-up"
set xrange [-0.5:columns - 0.5]
set yrange [-0.5:rows - 0.5]
set logscale cb 2
set cbrange [0.25:4]
set format cb "%g"
set palette defined (0 "#b2182b", 0.5 "#f4a582", 1 "#f7f7f7", 1.5 "#92c5de", 2 "#2166ac")
set tics scale 0
set grid noxtics noytics
set arrow 1 from graph 0, first 0.5 to graph 1, first 0.5 nohead lw 1.5 front
unset key
set datafile missing "?"
do for [terminal_name in "svg png"] {
  if (terminal_name eq "svg") {
    set terminal svg size 200 + 100 * columns,140 + 34 * rows dynamic background rgb "white"
  } else {
    set terminal pngcairo size 300 + 150 * columns,210 + 51 * rows fontscale 1.3
  }
  set output ARG5 . "." . terminal_name
  plot data using 1:2:3:xticlabels(5):yticlabels(6) with image pixels, \
       data using 1:2:4 with labels noenhanced
  set output
}
