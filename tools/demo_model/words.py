# SPDX-License-Identifier: Apache-2.0
"""Word lists that the generators draw from. Everyday English; names are common first names."""


def _split(text):
    return [word.strip() for word in text.replace("\n", " ").split(",")]


NAMES = _split("""Tom, Lily, Max, Ben, Anna, Sam, Mia, Leo, Lucy, Jack, Ella, Tim, Sara, Emma, Oliver, Rosie, Daisy,
Charlie, Molly, Henry, Ruby, George, Alice, Peter, Jane, Oscar, Billy, Grace, Finn, Clara, Toby, Sophie, Daniel, Kate,
Harry, Nora, Felix, Amy, Jake, Lola, Adam, Ivy, Simon, Holly, Luke, Penny, David, Eva, Martin, Julia""")

ANIMALS = _split("""cat, dog, rabbit, mouse, fox, bear, duck, owl, horse, frog, turtle, squirrel, hedgehog, elephant, lion,
monkey, penguin, sheep, goat, pig, cow, hen, bird, fish, deer, wolf, kitten, puppy, donkey, bee""")

PEOPLE = _split("""girl, boy, farmer, baker, sailor, teacher, gardener, king, queen, painter, doctor, fisherman, shepherd,
tailor, postman, pilot, nurse, musician, cook, carpenter""")

ADJECTIVES = _split("""small, young, old, kind, brave, happy, shy, clever, curious, lazy, hungry, friendly, quiet, funny,
gentle, lonely, proud, tiny, busy, sleepy""")

COLORS = _split("red, blue, green, yellow, white, black, brown, orange, pink, grey, golden, silver, purple")

PLACES = _split("""forest, garden, village, farm, town, castle, house by the sea, cottage near the river, park, valley,
city, mountain hut, meadow, harbour, school, old mill, beach, island, cave, library, market, barn""")

OBJECTS = _split("""ball, key, hat, boat, book, apple, box, coat, flower, lamp, stone, kite, bell, cup, basket, bicycle,
letter, map, ring, drum, toy, scarf, coin, cake, umbrella, blanket, clock, shell, feather, balloon""")

PLOTS = _split("""finds something new, makes a new friend, gets lost on the way home, helps a neighbour, learns to share,
is afraid of the dark, plants a seed, goes on a long walk, bakes a cake, looks for a lost toy, learns to swim,
cannot sleep, wins a race, tells the truth, says sorry, sees the sea for the first time, builds a small house,
has a birthday, plays in the snow, waits for the rain, learns to be patient, finds a treasure, meets a stranger,
gives a present, cleans the room, sings a song, catches a cold, goes to school, looks at the stars, saves a bird""")

THINGS = _split("""the sun, the moon, rain, snow, wind, clouds, a rainbow, thunder, lightning, the sea, a river, a lake,
a mountain, a volcano, an island, a desert, a forest, a tree, a flower, a seed, grass, fruit, bread, milk, cheese,
butter, sugar, salt, honey, rice, tea, coffee, water, ice, fire, light, sound, a shadow, a mirror, a magnet, a battery,
electricity, a computer, a telephone, a car, a train, a ship, an airplane, a bicycle, a bridge, a clock, a calendar,
a map, a book, a library, a school, a hospital, a market, money, a bank, a farm, a garden, a house, a window, glass,
paper, wood, iron, gold, stone, sand, soil, air, oxygen, gravity, the earth, a planet, a star, space, a rocket,
winter, spring, summer, autumn, day and night, the weather, temperature, a thermometer, the heart, the brain, the eyes,
the ears, the skin, bones, muscles, blood, breathing, sleep, dreams, hunger, a cold, medicine, exercise, a bee,
a butterfly, a spider, an ant, a bird, an owl, a penguin, a fish, a whale, a shark, a frog, a snake, a turtle, a cat,
a dog, a horse, a cow, a sheep, a chicken, a lion, an elephant, a bear, a fox, a rabbit, a mouse, music, a piano,
a guitar, a drum, painting, dancing, a story, a poem, a song, a game, football, chess, friendship, kindness, honesty,
patience, courage, work, a job, a teacher, a doctor, a farmer, a baker, a family, a birthday, a holiday, a language,
a letter, a number, counting, a circle, a triangle, time, memory, an idea, a question, a rule, a city, a village, a road,
a wheel, an engine, a kitchen, soup, an egg, an apple, a potato, a tomato, a carrot, chocolate, a recipe, clothes, wool,
cotton, soap, a candle, a lamp, a chair, a table, a bed, a door, a key""")

ACTIVITIES = _split("""sleeping better, learning a new language, saving money, cooking at home, baking bread,
growing tomatoes, keeping a garden, taking care of a dog, taking care of a cat, reading more books, writing a letter,
making friends, staying healthy, drinking more water, cleaning the house, studying for a test, getting up early,
learning to swim, riding a bicycle, going for a walk, packing a bag, planning a trip, giving a gift, saying sorry,
listening to others, learning to draw, playing the piano, keeping calm, working with others, spending time outside,
using less water, saving energy, making soup, eating well, being on time, remembering names, telling a story,
taking photos, playing chess, running faster""")

QUALITIES = _split("""important, useful, interesting, good for people, different from other things, part of daily life""")

DIALOGUE_TOPICS = _split("""the weather, a lost key, bread, a birthday party, a new book, the train, a cold winter, a cat,
a garden, a long trip, dinner, music, a broken clock, school, the market, a letter, a walk in the park, a dream,
fishing, a boat, apples, a present, the moon, a game, rain, a bicycle, homework, the sea, a cake, a dog""")

CITIES = _split("""Paris, London, Rome, Madrid, Berlin, Vienna, Bern, Oslo, Dublin, Prague, Athens, Lisbon, Warsaw, Boston,
Chicago, Denver, Toronto, Sydney, Cairo, Lima, Tokyo, Delhi, Seoul, Dallas, Miami""")

FOODS = _split("""bread, soup, rice, apples, cheese, eggs, fish, cake, salad, beans, pasta, honey, tea, milk, plums, pears,
carrots, potatoes, onions, butter""")

WEEKDAYS = _split("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday")
MONTHS = _split("""January, February, March, April, May, June, July, August, September, October, November, December""")
