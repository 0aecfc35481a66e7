export {
  answerLocally,
  messageMax,
  type LocalAnswer,
  type LocalQuestion,
  type LocalServices,
} from './answer-locally.ts'
export { askQuestion, type QuestionAnswer, type QuestionServices } from './ask.ts'
export { checkQuestion } from './check-question.ts'
export { questionSchema } from './question-schema.ts'
export type { Condition, Intent, Question } from './question.ts'
