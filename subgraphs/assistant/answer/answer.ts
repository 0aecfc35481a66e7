import { Refusal } from '../../kernel/errors.ts'
import { userTimezone } from '../../identity/public.ts'
import { modelUnavailable } from '../../kernel/language-model/model-error.ts'
import { answerMs, citationsMax } from '../conversation/bounds.ts'
import { answerLocally, asksForChange, type LocalAnswer, type LocalQuestion } from '../question/public.ts'
import { answerRequest } from '../request/request.ts'
import type { AnswerEvent } from './answer-event.ts'
import type { Answering, Asked } from './answering.ts'
import { cleanText } from '../../kernel/language-model/clean-text.ts'
import { documentsAnswer } from './documents-answer.ts'
import { modelAnswer } from './model-answer.ts'

/** Names in records can have the form of a link. */
async function answeredQuestion(ctx: Answering, asked: LocalQuestion): Promise<LocalAnswer> {
  const answer = await answerLocally(ctx, asked)
  return { ...answer, content: cleanText(answer.content, () => false) }
}

async function* ruleAnswer(ctx: Answering, asked: Asked, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
  yield { kind: 'begin' }
  const zone = (await userTimezone(ctx, ctx.caller.userId)) ?? 'UTC'
  const { content: message, context } = asked
  const { content, citations, toolCalls, notUnderstood } = asksForChange(message)
    ? await answerRequest(ctx, asked, zone, signal)
    : await answeredQuestion(ctx, { message, context, zone })
  for (const [index, call] of toolCalls.entries()) yield { kind: 'tool', call: { id: `call-${index + 1}`, ...call } }
  yield { kind: 'token', delta: content }
  for (const citation of citations.slice(0, citationsMax)) yield { kind: 'citation', citation }
  yield { kind: 'end', model: null, notUnderstood }
}

/**
 * The answer to a question, in parts. It ends with `end`, with a `Refusal` that the client is told, or with an `AbortError` after `signal`;
 * at the latest after a minute.
 */
export async function* answerEvents(ctx: Answering, asked: Asked, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
  if (asked.mode === 'documents') return yield* documentsAnswer(ctx, asked)
  if (asked.mode === 'local') return yield* ruleAnswer(ctx, asked, signal)
  const late = AbortSignal.timeout(answerMs)
  try {
    yield* modelAnswer(ctx, asked, AbortSignal.any([signal, late]))
  } catch (error) {
    if (late.aborted && !signal.aborted && !(error instanceof Refusal)) throw modelUnavailable('did not answer in time')
    throw error
  }
}
