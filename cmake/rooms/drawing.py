"""The drawing of the map: a box for each room, in layers, and arrows that run down, as SVG.

Rooms of a floor stand one layer above the highest room of that floor that they may include. An arrow over several
layers has a bend in each, which keeps its place among the rooms there, so that no arrow runs through a box.
"""
import math
from dataclasses import dataclass
from html import escape

from room_map import FLOORS, transitive_reduction

BOX_WIDTH, BOX_HEIGHT = 122, 30
LETTER_WIDTH = 8
BEND_WIDTH, SPACE = 12, 18
LAYER_STEP, FLOOR_SPACE = 62, 24
LABEL_WIDTH, MARGIN = 112, 16
ARROW_HEAD = 7
SWEEPS = 40
COLORS = {"include": ("#f3f0fa", "#8e7cc3"), "datatypes": ("#eef6ee", "#6aa84f"),
          "runtime": ("#edf4fb", "#4a86c8"), "collectives": ("#fdf4e7", "#d08a2e")}


@dataclass(eq=False)
class Node:
    """A room, or a bend of an arrow."""
    layer: int
    room: object = None
    x: float = 0.0  # of its middle

    @property
    def width(self):
        return max(BOX_WIDTH, LETTER_WIDTH * len(self.room.name) + SPACE) if self.room else BEND_WIDTH


class Picture:
    def __init__(self, room_map):
        self.layers, self.ways, self.floor_layers = [], [], {}
        nodes = self.place_rooms(room_map)
        for upper, lower in transitive_reduction(room_map):
            self.add_way(nodes[upper], nodes[lower])
        self.above = neighbors_by_node((lower, upper) for way in self.ways for upper, lower in zip(way, way[1:]))
        self.below = neighbors_by_node((upper, lower) for way in self.ways for upper, lower in zip(way, way[1:]))
        self.order_layers()
        self.find_places()

    def place_rooms(self, room_map):
        nodes = {}
        for floor in FLOORS:
            first = len(self.layers)
            for room in room_map.rooms.values():
                if room.floor == floor:
                    beneath = [nodes[target].layer for target in room.arrows if room_map.rooms[target].floor == floor]
                    nodes[room.folder] = Node(max(beneath, default=first - 1) + 1, room)
                    self.add(nodes[room.folder])
            if len(self.layers) > first:
                self.floor_layers[floor] = (first, len(self.layers) - 1)
        return nodes

    def add(self, node):
        while len(self.layers) <= node.layer:
            self.layers.append([])
        self.layers[node.layer].append(node)

    def add_way(self, upper, lower):
        bends = [Node(layer) for layer in range(upper.layer - 1, lower.layer, -1)]
        for bend in bends:
            self.add(bend)
        self.ways.append([upper, *bends, lower])

    def order_layers(self):
        """Sorts each layer by where its neighbors stand, down and up again, and keeps what has the fewest crossings."""
        best, fewest = [list(layer) for layer in self.layers], self.crossings()
        for sweep in range(SWEEPS):
            layers, neighbors = (self.layers, self.below) if sweep % 2 else (self.layers[::-1], self.above)
            places = {}
            for layer in layers:
                sort_by_neighbors(layer, neighbors, places)
                places.update((node, (place + 0.5) / len(layer)) for place, node in enumerate(layer))
            crossings = self.crossings()
            if crossings < fewest:
                best, fewest = [list(layer) for layer in self.layers], crossings
        self.layers = best

    def crossings(self):
        place = {node: number for layer in self.layers for number, node in enumerate(layer)}
        count = 0
        for layer in self.layers:
            ends = [(place[node], place[lower]) for node in layer for lower in self.below.get(node, ())]
            count += sum(a[0] < b[0] and a[1] > b[1] for a in ends for b in ends)
        return count

    def find_places(self):
        """Moves the nodes of each layer to where their neighbors are, as far as there is room for it."""
        for layer in self.layers:
            spread(layer, [0.0] * len(layer))
        for sweep in range(3 * SWEEPS):
            for layer in self.layers if sweep % 2 else self.layers[::-1]:
                spread(layer, [self.wish(node) for node in layer])
        self.straighten()
        leftmost = min(node.x - node.width / 2 for layer in self.layers for node in layer)
        for layer in self.layers:
            for node in layer:
                node.x += LABEL_WIDTH + 2 * MARGIN - leftmost

    def straighten(self):
        """Lets each bend stand under the one before it, as far as its neighbors in the layer leave room."""
        for way in self.ways:
            for upper, bend in zip(way[1:], way[2:-1]):
                least, most = free_places(self.layers[bend.layer], bend)
                bend.x = min(max(upper.x, least), most)

    def wish(self, node):
        neighbors = self.above.get(node, []) + self.below.get(node, [])
        return sum(neighbor.x for neighbor in neighbors) / len(neighbors) if neighbors else node.x

    def width(self):
        return max(node.x + node.width / 2 for layer in self.layers for node in layer) + 2 * MARGIN

    def height(self):
        return self.bottom_of(0) + 2 * MARGIN

    def top_of(self, layer):
        """Of the boxes of a layer; layers are numbered from the bottom."""
        floors_above = sum(first > layer for first, _ in self.floor_layers.values())
        return 2 * MARGIN + (len(self.layers) - 1 - layer) * LAYER_STEP + floors_above * FLOOR_SPACE

    def bottom_of(self, layer):
        return self.top_of(layer) + BOX_HEIGHT


def neighbors_by_node(pairs):
    neighbors = {}
    for node, neighbor in pairs:
        neighbors.setdefault(node, []).append(neighbor)
    return neighbors


def sort_by_neighbors(layer, neighbors, places):
    """Nodes without neighbors on that side keep about where they are."""
    keys = {}
    for place, node in enumerate(layer):
        near = [places[neighbor] for neighbor in neighbors.get(node, ())]
        keys[node] = rounded(sum(near) / len(near) if near else (place + 0.5) / len(layer))
    layer.sort(key=keys.get)


def spread(layer, wishes):
    """Puts nodes as near to their wishes as can be in the order of the layer, without overlaps.

    Nodes that get in each other's way become a block, which moves as one to the mean of its wishes.
    """
    blocks = []  # [sum of wishes of the block's beginning, nodes with their distances from the beginning]
    distance = 0.0
    for number, node in enumerate(layer):
        if number:
            distance += least_distance(layer[number - 1], node)
        blocks.append([wishes[number] - distance, [(node, distance)]])
        while len(blocks) > 1 and mean(blocks[-2]) > mean(blocks[-1]):
            wish, nodes = blocks.pop()
            blocks[-1][0] += wish
            blocks[-1][1] += nodes
    for block in blocks:
        for node, from_first in block[1]:
            node.x = rounded(mean(block) + from_first)


def rounded(number):
    """As versions of Python differ in the last digits of a sum, and the drawing must not."""
    return round(number, 6)


def least_distance(left, right):
    return (left.width + right.width) / 2 + SPACE


def free_places(layer, node):
    place = layer.index(node)
    left, right = layer[:place][-1:], layer[place + 1:][:1]
    least = left[0].x + least_distance(left[0], node) if left else -math.inf
    most = right[0].x - least_distance(node, right[0]) if right else math.inf
    return least, most


def mean(block):
    return block[0] / len(block[1])


def draw(room_map):
    picture = Picture(room_map)
    width, height = picture.width(), picture.height()
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="DejaVu Sans, Verdana, Arial, sans-serif">',
        "<title>The rooms of Rondo's code, and which may include which</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    for floor in reversed(picture.floor_layers):
        lines += floor_lines(picture, floor)
    ports = ports_of_ways(picture)
    for number in range(len(picture.ways)):
        lines += way_lines(picture, number, ports)
    for layer in reversed(picture.layers):
        for node in layer:
            if node.room:
                lines += box_lines(picture, node)
    return "\n".join([*lines, "</svg>"]) + "\n"


def floor_lines(picture, floor):
    fill, stroke = COLORS[floor]
    lowest, highest = picture.floor_layers[floor]
    top, bottom = picture.top_of(highest) - MARGIN, picture.bottom_of(lowest) + MARGIN
    return [f'<rect x="{MARGIN}" y="{top}" width="{picture.width() - 2 * MARGIN:.1f}" height="{bottom - top}" rx="8" '
            f'fill="{fill}" stroke="{stroke}" stroke-opacity="0.5"/>',
            f'<text x="{2 * MARGIN - 4}" y="{top + 26}" font-size="15" font-weight="bold" stroke="none" '
            f'fill="{stroke}">{floor}/</text>']


def box_lines(picture, node):
    stroke = COLORS[node.room.floor][1]
    top = picture.top_of(node.layer)
    left, middle = node.x - node.width / 2, top + BOX_HEIGHT / 2
    return [f'<rect x="{left:.1f}" y="{top}" width="{node.width}" height="{BOX_HEIGHT}" rx="5" '
            f'fill="#ffffff" stroke="{stroke}" stroke-width="1.5"/>',
            f'<text x="{node.x:.1f}" y="{middle + 4.5}" font-size="13" text-anchor="middle" stroke="none" '
            f'fill="#222222">{escape(node.room.name)}</text>']


def ports_of_ways(picture):
    """Where each way leaves its upper and meets its lower box: ways at one side of a box stand apart, in order."""
    ports = {}
    for end, neighbor in ((0, 1), (-1, -2)):
        at_box = {}
        for number, way in enumerate(picture.ways):
            at_box.setdefault(way[end], []).append((way[neighbor].x, number))
        for node, ways in at_box.items():
            step = min(20, (node.width - 24) / len(ways))
            for place, (_, number) in enumerate(sorted(ways)):
                ports[number, end] = node.x + (place - (len(ways) - 1) / 2) * step
    return ports


def way_lines(picture, number, ports):
    way = picture.ways[number]
    color = COLORS[way[0].room.floor][1]
    x, y = ports[number, 0], picture.bottom_of(way[0].layer)
    path = [f"M{x:.1f} {y}"]
    for node in way[1:]:
        last = node is way[-1]
        x_next, y_next = ports[number, -1] if last else node.x, picture.top_of(node.layer) - (ARROW_HEAD if last else 0)
        middle = (y + y_next) / 2
        path.append(f"C{x:.1f} {middle} {x_next:.1f} {middle} {x_next:.1f} {y_next}")
        x, y = x_next, y_next
        if not last:
            y = picture.bottom_of(node.layer)
            path.append(f"V{y}")
    head = f"M{x - 4:.1f} {y}h8l-4 {ARROW_HEAD}z"
    return [f'<path d="{" ".join(path)}" fill="none" stroke="{color}" stroke-width="1.3"/>',
            f'<path d="{head}" fill="{color}" stroke="none"/>']
