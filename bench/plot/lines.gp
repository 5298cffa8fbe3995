# Time over block size, a line for each variant with its quartiles as a shade, both axes logarithmic.
# Usage: gnuplot -c lines.gp DATA VARIANTS TICS TITLE OUT
# DATA has a block for each of the VARIANTS: its name in quotes, then lines of bytes, median, lower and upper quartile in us.
# TICS are those of the block sizes, as of "set xtics": "64 B" 64, "1 KiB" 1024. Writes OUT.svg and OUT.png.
data = ARG1
last = ARG2 - 1
set title ARG4 noenhanced
set xlabel "block size"
set ylabel "median time and quartiles (us)"
stats data using 1 nooutput
set xrange [STATS_min / 1.2:STATS_max * 1.2]
set logscale x 2
set logscale y 10
set format y "%g"
eval "set xtics rotate by -45 (" . ARG3 . ")"
set grid xtics ytics back lt 1 lw 0.7 lc rgb "#cccccc"
set key outside right top noenhanced
set style fill transparent solid 0.2 noborder
# Colors that can be told apart by everybody (Okabe and Ito), then others.
set linetype 1 lc rgb "#0072b2"
set linetype 2 lc rgb "#d55e00"
set linetype 3 lc rgb "#009e73"
set linetype 4 lc rgb "#cc79a7"
set linetype 5 lc rgb "#56b4e9"
set linetype 6 lc rgb "#e69f00"
set linetype 7 lc rgb "#000000"
set linetype 8 lc rgb "#8c564b"
# The colors again in other dashes and points.
points = "7 5 9 13"
do for [terminal_name in "svg png"] {
  if (terminal_name eq "svg") {
    set terminal svg size 900,560 dynamic background rgb "white"
  } else {
    set terminal pngcairo size 1350,840 fontscale 1.3
  }
  set output ARG5 . "." . terminal_name
  plot for [i = 0:last] data index i using 1:3:4 with filledcurves lt i + 1 notitle, \
       for [i = 0:last] data index i using 1:2 with linespoints lt i + 1 dt int(i / 8) + 1 \
         pt (0 + word(points, int(i / 8) % 4 + 1)) ps 0.7 lw 1.5 title columnheader(1)
  set output
}
