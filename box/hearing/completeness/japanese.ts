import { phrases, set, type LanguageWords } from "./words.ts";

/** Written without spaces: everything is told by how the text ends. */
export const japanese: LanguageWords = {
  spaced: false,
  fillers: set("えっと えーと ええと えと あの あのー その そのー うーん うーんと まあ なんか んー ええっと"),
  trailing: new Set(),
  trailingPhrases: phrases(`
    が, は, を, に, で, と, の, へ, も, や, から, けど, けれど, けれども, ので, のに, し, て, って, ても, たら, れば, なら, ば,
    まで, より, とか, または, そして, それで, でも, しかし, だから, それから, つまり, たとえば, 例えば, ですが, ですけど, んですが,
    んですけど, ますが, ますけど, という, ような, ために, ながら, この, その, あの, とても, もっと, 私, 僕, すごく, ちょっと
  `),
  closing: phrases(`
    です, ます, ました, でした, ません, でしょう, ですか, ますか, ましたか, ませんか, でしょうか, か, ね, よ, よね, ください,
    ありがとう, ありがとうございます, お願いします, お願い, さようなら, だ, だった, ない, たい, だよ, だね, なの, のか, わ,
    すみません, 以上, 教えて, 見せて, 聞かせて, 待って, やめて, ましょう, ですよね, いいよ, おやすみ
  `),
  answers: set(
    "はい いいえ うん ううん ええ そうです そう わかりました 了解 もちろん こんにちは おはよう おはようございます こんばんは どうも ありがとう すみません なぜ 何 誰 どこ いつ いいです 結構です 大丈夫 大丈夫です まだです",
  ),
  questions: [],
  subordinators: new Set(),
  subjects: new Set(),
  numbers: set("ゼロ 零 一 二 三 四 五 六 七 八 九 十 百 千 いち に さん よん ご ろく なな はち きゅう"),
};
