// Reading: passages, and questions with possible answers, the first of which is right. The passages are invented, so that
// nothing but the text answers them.

interface Passage {
  readonly text: string;
  readonly questions: readonly (readonly [question: string, ...choices: string[]])[];
}

export const passages: readonly Passage[] = [
  {
    text: 'The harbor of Tolvik opens at five in the morning. First come the fishing boats, then at eight the ferry from Sund. On Sundays there is no ferry, and the harbor master, Ida Brekke, opens two hours later so that her crew can sleep.',
    questions: [
      ['At what time does the ferry come?', 'At eight', 'At five', 'At seven', 'At noon'],
      ['Who is the harbor master?', 'Ida Brekke', 'Sund', 'Tolvik', 'A fisherman'],
      ['On which day is there no ferry?', 'Sunday', 'Monday', 'Friday', 'Saturday'],
      ['At what time does the harbor open on Sundays?', 'At seven', 'At five', 'At eight', 'At ten'],
    ],
  },
  {
    text: 'Marta planted three rows of beans and one row of peas. In June, snails ate the peas, but the beans survived because she had put sand around them. In August she picked eleven kilograms of beans and gave four of them to her neighbor Paul.',
    questions: [
      ['What did the snails eat?', 'The peas', 'The beans', 'The sand', 'The corn'],
      ['What protected the beans?', 'Sand', 'Water', 'A fence', 'Paul'],
      ['How many rows of beans did Marta plant?', 'Three', 'One', 'Four', 'Eleven'],
      ['Who received some of the beans?', 'Paul', 'Marta', 'The snails', 'Her mother'],
    ],
  },
  {
    text: 'The old library was to be closed because its roof leaked. The pupils of the school collected money for a year, with concerts and a run around the lake. In the end they had enough for half of the roof, and the town paid for the rest. Today a small sign at the door names all who helped.',
    questions: [
      ['Why was the library to be closed?', 'Its roof leaked', 'It had no books', 'It was too small', 'Nobody read'],
      ['Who collected money?', 'The pupils', 'The mayor', 'The teachers', 'The builders'],
      ['Who paid for the rest of the roof?', 'The town', 'The school', 'A bank', 'The pupils'],
      ['Where is the sign?', 'At the door', 'On the roof', 'At the lake', 'In the school'],
    ],
  },
  {
    text: 'A cart with glass bottles stood on the hill. Its brake was made of wood, and after the rain the wood was soft. When the driver went to buy bread, the cart began to roll. A girl on a bicycle saw it, shouted, and everyone on the street jumped aside. Only two bottles broke.',
    questions: [
      ['What was on the cart?', 'Bottles', 'Bread', 'Wood', 'Bicycles'],
      ['What was the brake made of?', 'Wood', 'Glass', 'Iron', 'Leather'],
      ['Where was the driver when the cart began to roll?', 'Buying bread', 'On the cart', 'On a bicycle', 'At home'],
      ['How many bottles broke?', 'Two', 'None', 'Twelve', 'All'],
    ],
  },
  {
    text: 'Express trains to Kaldern leave from platform 4, and slow trains from platform 7. An express train needs 40 minutes and costs 18 crowns. A slow train needs 75 minutes and costs 9 crowns. Dogs travel free of charge on slow trains and are not allowed on express trains.',
    questions: [
      ['Which platform do slow trains leave from?', 'Platform 7', 'Platform 4', 'Platform 9', 'Platform 18'],
      ['What does the express train cost?', '18 crowns', '9 crowns', '40 crowns', '75 crowns'],
      ['How long does the slow train need?', '75 minutes', '40 minutes', '18 minutes', '9 minutes'],
      [
        'Which train must a traveler with a dog take?',
        'The slow train',
        'The express train',
        'The night train',
        'No train',
      ],
      ['How much does a traveler save with the slow train?', '9 crowns', '18 crowns', '27 crowns', '4 crowns'],
    ],
  },
  {
    text: 'Professor Lind kept two kinds of moths. The gray ones came to the lamp at once; the green ones waited until the gray ones had left. For years she thought that the green moths were afraid of the light. Then a storm broke the lamp, and she saw that they were afraid of the gray moths.',
    questions: [
      ['Which moths came to the lamp at once?', 'The gray ones', 'The green ones', 'The red ones', 'The small ones'],
      ['What were the green moths afraid of?', 'The gray moths', 'The light', 'The storm', 'The professor'],
      ['What broke the lamp?', 'A storm', 'A moth', 'The professor', 'A child'],
      ['How many kinds of moths did she keep?', 'Two', 'One', 'Three', 'Ten'],
    ],
  },
  {
    text: 'To: all staff. The kitchen on the second floor is closed from Tuesday to Thursday, because the sink is replaced. Please use the kitchen on the fourth floor. The coffee machine is moved there on Monday evening. Questions go to Samir in room 212.',
    questions: [
      [
        'Which kitchen is closed?',
        'The one on the second floor',
        'The one on the fourth floor',
        'The one in room 212',
        'All of them',
      ],
      ['Why is it closed?', 'The sink is replaced', 'The coffee is empty', 'It is painted', 'Samir is ill'],
      ['When is the coffee machine moved?', 'On Monday', 'On Tuesday', 'On Thursday', 'On Sunday'],
      ['Who answers questions?', 'Samir', 'The cook', 'The plumber', 'All staff'],
    ],
  },
  {
    text: 'Nora and her brother Emil share a room. Nora is two years older and sleeps in the upper bed. Emil wanted the upper bed, so they played chess for it. Emil won, but after one night he found it too warm up there, and they changed back.',
    questions: [
      ['Who is older?', 'Nora', 'Emil', 'Neither', 'Their father'],
      ['What did they play?', 'Chess', 'Cards', 'Football', 'The piano'],
      ['Who won the game?', 'Emil', 'Nora', 'Nobody', 'Their mother'],
      ['Who sleeps in the upper bed in the end?', 'Nora', 'Emil', 'Nobody', 'Both'],
    ],
  },
  {
    text: 'The stone bridge of Ostrelin was built in 1584 and destroyed by a flood in 1811. For sixty years, people crossed the river by boat. The new bridge, made of iron, was opened in 1871. It is narrower than the old one, and heavy wagons still have to go by the ford upstream.',
    questions: [
      ['In which year was the stone bridge built?', '1584', '1811', '1871', '1984'],
      ['What destroyed the stone bridge?', 'A flood', 'A war', 'A fire', 'A wagon'],
      ['What is the new bridge made of?', 'Iron', 'Stone', 'Wood', 'Glass'],
      ['How did people cross the river when there was no bridge?', 'By boat', 'By train', 'On ice', 'Not at all'],
    ],
  },
  {
    text: 'Mix 300 g of flour with a little salt. Add 180 ml of warm water and two spoons of oil. Knead for ten minutes, then let the dough rest for half an hour under a towel. Divide it into eight parts and bake each for two minutes on both sides in a hot pan without oil.',
    questions: [
      ['How much flour is needed?', '300 g', '180 g', '30 g', '800 g'],
      ['How long does the dough rest?', 'Half an hour', 'Ten minutes', 'Two minutes', 'Eight hours'],
      ['Into how many parts is the dough divided?', 'Eight', 'Two', 'Ten', 'Three'],
      ['What covers the dough while it rests?', 'A towel', 'Oil', 'A pan', 'Flour'],
      ['What kind of pan is used?', 'A hot pan without oil', 'A hot pan with oil', 'A cold pan', 'A pan with water'],
    ],
  },
  {
    text: 'When the lighthouse keeper fell ill, his daughter Runa kept the lamp burning for nineteen nights. She was fourteen. The lamp needed oil every three hours, so she slept with a string around her wrist that a clockwork pulled. No ship was lost in that time.',
    questions: [
      ['How old was Runa?', 'Fourteen', 'Nineteen', 'Three', 'Forty'],
      ['Why did she keep the lamp?', 'Her father was ill', 'She was paid', 'A ship was lost', 'She could not sleep'],
      ['What woke her?', 'A string', 'A bell', 'Her father', 'The sea'],
      ['For how many nights did she keep the lamp burning?', 'Nineteen', 'Fourteen', 'Three', 'One'],
    ],
  },
  {
    text: 'The test compared two glues. Glue A held 40 kg after one hour and 90 kg after one day. Glue B held 70 kg after one hour and 75 kg after one day. Both failed in boiling water. Glue A costs twice as much as glue B.',
    questions: [
      ['Which glue is stronger after one hour?', 'Glue B', 'Glue A', 'Both are equal', 'Neither holds'],
      ['Which glue is stronger after one day?', 'Glue A', 'Glue B', 'Both are equal', 'Neither holds'],
      ['Which glue is cheaper?', 'Glue B', 'Glue A', 'They cost the same', 'It is not said'],
      ['What happened in boiling water?', 'Both failed', 'Both held', 'Only A failed', 'Only B failed'],
    ],
  },
];
