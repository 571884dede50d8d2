import { phrases, set, type LanguageWords } from "./words.ts";

export const english: LanguageWords = {
  spaced: true,
  fillers: set("um uh uhm umm er erm hmm hm mm ah eh so like"),
  trailing: set(`
    and or but nor because cause since although though while whereas unless until if whether than as that which who
    whose whom where when why how what
    a an the this these those my your his her its our their some any every each no another other both either
    to of in on at by for from with without about into onto over under between through during before after against
    around near toward towards per via
    is am are was were be been being do does did have has had will would can could shall should may might must
    i'm you're he's she's it's we're they're i'll you'll he'll she'll we'll they'll i've you've we've they've i'd
    you'd he'd she'd we'd they'd that's there's what's let's gonna wanna gotta
    i he she we they very really quite too more most less just also only even maybe perhaps mister missus doctor
    not don't doesn't didn't can't won't isn't aren't wasn't weren't couldn't wouldn't shouldn't
  `),
  trailingPhrases: phrases(`
    i want, i need, i like, i would like, i'd like, i think, i thought, i mean, i guess, i believe, i feel, i hope,
    i wonder, i was wondering, tell me, can you, could you, would you, will you, give me, show me, let me, help me,
    you know, do you know, do you have, do you think, is there, are there, there is, there are, kind of, sort of,
    a lot of, such a, one of the, going to, want to, have to, need to, used to, trying to, looking for, my name is,
    my number is, the thing is, for example, in order, as well as, the first, the second, the other, so that, even if,
    see, let's see, let me see, let me think, the most, the best, depends on, because of, instead of, out of
  `),
  closing: phrases(`
    thank you, thanks, please, thank you very much, thanks a lot, that's it, that's all, that is all, goodbye, bye,
    good night, too, as well, right now, never mind, no problem, of course, i don't know, i don't, i do, i am, it is,
    they are, i can't, i will, i can, he is, she is, you are, we are, i did, i didn't, i have, not really, i don't think so,
    what is it, who is it, how are you, who are you, where are you, what for, come on, go on, what's up, what's on, think so, hope so, guess so, believe so, say so, what i do, sounds good, i know, got it, all right, that works, that's fine, i see
  `),
  answers: set(`
    yes no yeah yep nope yup okay ok sure right exactly absolutely definitely maybe perhaps never always hello hi hey
    thanks bye goodbye stop please good great fine perfect nothing none sorry what why how who where when correct wrong
    no-thanks yes-please no-thank-you of-course not-really not-yet i-see got-it hi-there hello-there good-morning
    good-evening good-afternoon all-right sounds-good that's-right that's-fine that-works not-at-all i-agree see-you
  `),
  questions: phrases(`
    what, what's, who, who's, where, where's, when, when's, why, how, how's, which, whose, is, are, am, was, were, do, does, did, can, could, will, would,
    should, shall, may, have you, has, don't, doesn't, didn't, isn't, aren't, can't, couldn't, won't, wouldn't, and what,
    and how, so what, so how, but what, but why, but how
  `),
  subordinators: set(
    "if when because although though while since unless before after once whenever as until",
  ),
  subjects:
    set(`i you he she it we they i'm you're he's she's it's we're they're i'll i'd i've we'll let's please
    there that this can could would will do what how`),
  stranded: {
    words: set(
      "at for from about with on in to up like do does is are am was were have has can of so it this that there",
    ),
    after: set("what who where when why how which whose what's who's where's how's when's"),
  },
  numbers:
    set(`zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand double
    triple`),
};
