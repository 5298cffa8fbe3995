"""The map of rooms, docs/rooms.txt: reading it, and writing the arrows of the code into it."""
import textwrap
from dataclasses import dataclass, field

MAP_PATH = "docs/rooms.txt"
# Bottom to top. The rooms of a floor are the folders below it that hold sources; the folder rondo of the first is
# called as the floor.
FLOORS = ("include", "datatypes", "runtime", "collectives")
WIDTH = 120


@dataclass
class Room:
    folder: str
    line: int
    sentence: str = ""
    arrows: dict = field(default_factory=dict)  # target room -> line of the map that allows it
    last_line: int = 0

    @property
    def floor(self):
        return self.folder.split("/")[0]

    @property
    def name(self):
        """As it is called among the rooms of its floor."""
        return self.folder.partition("/")[2] or self.folder


@dataclass
class RoomMap:
    """Rooms by folder, bottom to top."""
    lines: list
    rooms: dict
    mistakes: list

    def stands_below(self, folder, other):
        order = list(self.rooms)
        return order.index(folder) < order.index(other)


def parse_map(text):
    room_map = RoomMap(lines=text.splitlines(), rooms={}, mistakes=[])
    room = None
    for number, line in enumerate(room_map.lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if not line[0].isspace():
            room = add_room(room_map, line.strip(), number)
        elif room is None:
            room_map.mistakes.append(f"{MAP_PATH}:{number}: belongs to no room; a room's folder is not indented")
        elif words[0] == "->":
            add_arrows(room_map, room, words[1:], number)
        else:
            room.sentence = f"{room.sentence} {line.strip()}".strip()
        if room is not None:
            room.last_line = number
    room_map.mistakes += mistakes_of_order(room_map)
    return room_map


def add_room(room_map, folder, number):
    room = Room(folder, number)
    if folder in room_map.rooms:
        room_map.mistakes.append(f"{MAP_PATH}:{number}: {folder} is on the map twice")
    else:
        room_map.rooms[folder] = room
    return room


def add_arrows(room_map, room, targets, number):
    for target in targets:
        if target in room.arrows:
            room_map.mistakes.append(f"{MAP_PATH}:{number}: the arrow from {room.folder} to {target} is there twice")
        room.arrows[target] = number


def mistakes_of_order(room_map):
    mistakes = []
    highest = 0
    for room in room_map.rooms.values():
        where = f"{MAP_PATH}:{room.line}: {room.folder}"
        if not room.sentence:
            mistakes.append(f"{where} has no sentence that says what lies in it")
        if room.floor not in FLOORS:
            mistakes.append(f"{where} is on none of the floors {', '.join(FLOORS)}")
            continue
        floor = FLOORS.index(room.floor)
        if floor < highest:
            mistakes.append(f"{where} must stand before the rooms of {FLOORS[highest]}")
        highest = max(highest, floor)
        mistakes += mistakes_of_arrows(room_map, room)
    return mistakes


def mistakes_of_arrows(room_map, room):
    mistakes = []
    for target, number in room.arrows.items():
        if target not in room_map.rooms:
            mistakes.append(f"{MAP_PATH}:{number}: {target} is not a room of the map")
        elif not room_map.stands_below(target, room.folder):
            mistakes.append(f"{MAP_PATH}:{number}: the arrow from {room.folder} to {target} does not run down; "
                            f"{target} must stand before {room.folder} in the map")
    return mistakes


def text_with_arrows(room_map, arrows):
    """The text of the map with other arrows: `arrows` has the targets of each room. Those that run up are left out."""
    lines = []
    for number, line in enumerate(room_map.lines, 1):
        if line.split()[:1] != ["->"]:
            lines.append(line)
        for room in room_map.rooms.values():
            if room.last_line == number:
                lines += arrow_lines(room_map, room, arrows[room.folder])
    return "\n".join(lines) + "\n"


def arrow_lines(room_map, room, targets):
    lines = []
    for floor in FLOORS:
        downward = [below.folder for below in room_map.rooms.values()
                    if below.floor == floor and below.folder in targets
                    and room_map.stands_below(below.folder, room.folder)]
        lines += textwrap.wrap(" ".join(downward), WIDTH, initial_indent="  -> ", subsequent_indent="  -> ",
                               break_on_hyphens=False)
    return lines


def transitive_reduction(room_map):
    """The arrows without those that are also ways over other rooms, as pairs of folders."""
    reached = {}
    arrows = []
    for folder, room in room_map.rooms.items():
        farther = set().union(*(reached[target] for target in room.arrows))
        reached[folder] = farther | set(room.arrows)
        arrows += [(folder, target) for target in room_map.rooms if target in room.arrows and target not in farther]
    return arrows
