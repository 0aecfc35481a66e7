/** How automatic replies begin their subjects, as mail programs write them in the languages that they exist in. */
const beginnings = [
  'auto reply',
  'auto-reply',
  'autoreply',
  'auto response',
  'auto-response',
  'autoresponse',
  'automated reply',
  'automated response',
  'automatic reply',
  'automatic response',
  'away from my mail',
  'away from office',
  'away from the office',
  'i am away from',
  'i am on vacation',
  'i am out of the office',
  'on vacation',
  'out of office',
  'out of the office',
  'vacation reply',
  // German
  'abwesenheitsnotiz',
  'abwesenheitsmeldung',
  'abwesenheitsbenachrichtigung',
  'automatische antwort',
  'automatische rückmeldung',
  'außer haus',
  'ich bin nicht im büro',
  // French
  'absence du bureau',
  "message d'absence",
  'message d’absence',
  'réponse automatique',
  // Spanish, Catalan, Galician, Basque
  'ausencia de la oficina',
  'fuera de la oficina',
  'fuera de oficina',
  'respuesta automática',
  'resposta automàtica',
  'erantzun automatikoa',
  // Italian
  'fuori sede',
  'fuori ufficio',
  'risposta automatica',
  // Portuguese
  'ausência temporária',
  'fora do escritório',
  'mensagem automática',
  'resposta automática',
  // Dutch
  'afwezigheidsbericht',
  'afwezigheidsassistent',
  'automatisch antwoord',
  'automatische reactie',
  'niet op kantoor',
  // Swedish, Danish, Norwegian, Finnish, Icelandic
  'autosvar',
  'automatiskt svar',
  'automatisk svar',
  'frånvaromeddelande',
  'fraværsbesked',
  'fraværsmelding',
  'ikke til stede',
  'ikke på kontoret',
  'automaattinen vastaus',
  'poissaoloilmoitus',
  'lomavastaus',
  'sjálfvirkt svar',
  // Polish, Czech, Slovak
  'autoodpowiedź',
  'automatyczna odpowiedź',
  'odpowiedź automatyczna',
  'poza biurem',
  'automatická odpověď',
  'mimo kancelář',
  'automatická odpoveď',
  'mimo kancelárie',
  // Hungarian, Romanian
  'automatikus válasz',
  'házon kívül',
  'irodán kívül',
  'răspuns automat',
  'în afara biroului',
  // Croatian, Serbian, Slovenian
  'automatski odgovor',
  'аутоматски одговор',
  'samodejni odgovor',
  'avtomatski odgovor',
  // Estonian, Latvian, Lithuanian
  'automaatvastus',
  'automaatne vastus',
  'automātiskā atbilde',
  'automātiska atbilde',
  'automatinis atsakymas',
  // Bulgarian, Russian, Ukrainian
  'автоматичен отговор',
  'извън офиса',
  'автоматический ответ',
  'автоответ',
  'вне офиса',
  'автоматична відповідь',
  'автовідповідь',
  // Greek, Turkish
  'αυτόματη απάντηση',
  'εκτός γραφείου',
  'otomatik yanıt',
  'otomatik cevap',
  'ofis dışında',
  'büro dışında',
  // Hebrew, Arabic, Persian
  'מענה אוטומטי',
  'תשובה אוטומטית',
  'מחוץ למשרד',
  'رد تلقائي',
  'خارج المكتب',
  'پاسخ خودکار',
  // Hindi, Thai, Vietnamese, Indonesian, Malay
  'स्वचालित उत्तर',
  'การตอบกลับอัตโนมัติ',
  'ตอบกลับอัตโนมัติ',
  'trả lời tự động',
  'thư trả lời tự động',
  'balasan otomatis',
  'balasan automatik',
  // Japanese, Chinese, Korean
  '自動応答',
  '自動返信',
  '不在通知',
  '自动答复',
  '自动回复',
  '自動回覆',
  '自動回復',
  '不在办公室',
  '不在辦公室',
  '자동 회신',
  '자동 응답',
  '자동회신',
  '자동응답',
  '부재중',
]

/** Words with which people begin subjects too. They tell a program when a colon follows. */
const labels = [
  'absence',
  'absent',
  'abwesend',
  'afwezig',
  'ausente',
  'assente',
  'fravær',
  'frånvaro',
  'poissa',
  '不在',
]

/** Letters without their marks, because programs leave them out where a mail has no encoding for them. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ı', 'i')
    .replaceAll(/\s+/g, ' ')

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
const alternatives = (texts: readonly string[]): string => texts.map((text) => escaped(plain(text))).join('|')
/** Scripts without spaces write on after the words, so only a Latin, Greek or Cyrillic letter makes another word of them. */
const beginning = new RegExp(
  `^[\\s[({<*"„“«»!]*(?:(?:${alternatives(beginnings)})(?![\\p{sc=Latn}\\p{sc=Grek}\\p{sc=Cyrl}])|(?:${alternatives(labels)}) ?[:：])`,
  'u',
)
/** `AUTO: Ida Berg is out of the office (returning 1 March)`, of Notes. */
const ofNotes = /^AUTO: |\bis (?:currently )?out of (?:the )?office\b/

/** Whether a subject is that of an automatic reply. A person who answers one writes `Re:` before it. */
export const isAutomaticSubject = (subject: string): boolean => {
  const text = subject.slice(0, 500)
  return beginning.test(plain(text)) || (ofNotes.test(text) && !/^\s*\w{2,3}:\s/.test(text.replace(/^AUTO: /, '')))
}
