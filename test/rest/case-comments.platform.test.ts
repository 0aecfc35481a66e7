import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { each, supportCase } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs, values } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

const comment = (id: string, body: object) => member.rest.caseCommentCreate!({ id, body })

describe('caseCommentCreate', () => {
  it('returns the comment and emits the event', async () => {
    const { id: caseId } = await supportCase(member)
    const { status, body } = await comment(caseId, { body: 'We look into it.', isInternal: true })

    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        caseId,
        body: 'We look into it.',
        isInternal: true,
        authorId: member.userId,
        authorType: 'USER',
        createdAt: platform.now.toISOString(),
      },
    ])
    const [event, ...more] = await platform.eventsOf(body.id)
    expect(more).toEqual([])
    expect(event).toMatchObject({
      type: 'case.comment_added',
      actorId: member.userId,
      data: { object: 'case_comment', id: body.id, record: body, previous: null, changedFields: null },
    })
  })

  it('makes only the first public comment the first response', async () => {
    const { id } = await supportCase(member)
    const firstResponse = async () => {
      const { body } = await member.rest.case!({ id })
      return [body.firstResponseAt, body.version]
    }
    await comment(id, { body: 'For us only', isInternal: true })
    expect(await firstResponse()).toEqual([null, 1])

    platform.advanceClock(60_000)
    const first = platform.now.toISOString()
    await comment(id, { body: 'Hello' })
    expect(await firstResponse()).toEqual([first, 2])
    platform.advanceClock(60_000)
    await comment(id, { body: 'Hello again', isInternal: false })
    expect(await firstResponse()).toEqual([first, 2])
    expect(await platform.eventTypesOf(id)).toEqual(['case.created', 'case.updated'])
    expect((await platform.eventsOf(id))[1]!.data.changedFields).toEqual(['firstResponseAt'])
  })

  it('makes one of many concurrent comments the first response', async () => {
    const { id } = await supportCase(member)
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => comment(id, { body: `Reply ${index}` })))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect((await member.rest.case!({ id })).body.version).toBe(2)
    expect((await member.rest.caseCommentList!({ id })).body.total).toBe(8)
  })

  it.each([
    ['20000 letters', 'x'.repeat(20_000)],
    ['20000 emoji', '😀'.repeat(20_000)],
  ])('accepts %s', async (_, body) => {
    const { id } = await supportCase(member)
    const answer = await comment(id, { body })
    expect([answer.status, answer.body.body === body]).toEqual([201, true])
  })

  it.each<[string, object, string]>([
    ['20001 letters', { body: 'x'.repeat(20_001) }, 'body TOO_LONG'],
    ['20001 emoji', { body: '😀'.repeat(20_001) }, 'body TOO_LONG'],
    ['an empty text', { body: '' }, 'body TOO_SHORT'],
    ['white space', { body: ' \n' }, 'body WRONG_FORMAT'],
    ['no body', {}, 'body REQUIRED'],
    ['a body that is not text', { body: 7 }, 'body WRONG_TYPE'],
    ['a flag that is not a boolean', { body: 'x', isInternal: 'yes' }, 'isInternal WRONG_TYPE'],
  ])('refuses %s with 400', async (_, body, problem) => {
    const { id } = await supportCase(member)
    expect(await refusedInputs(platform, () => comment(id, body))).toContain(problem)
  })

  it('refuses an author with 400', async () => {
    const { id } = await supportCase(member)
    expect(await refusedInputs(platform, () => comment(id, { body: 'x', authorId: member.userId }))).toEqual([
      400,
      'UNKNOWN_FIELD',
      'authorId UNKNOWN_FIELD',
    ])
  })

  it('answers 404 for a case that is deleted or does not exist', async () => {
    const { id } = await supportCase(member)
    await member.rest.caseDelete!({ id })
    expect(await refused(platform, () => comment(id, { body: 'x' }))).toEqual([404, 'NOT_FOUND'])
    expect(await refused(platform, () => comment(newId(), { body: 'x' }))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('caseCommentList', () => {
  it('returns the comments in pages, oldest first', async () => {
    const { id } = await supportCase(member)
    await supportCase(member).then(({ id: other }) => comment(other, { body: 'Elsewhere' }))
    await each(['A', 'B', 'C', 'D', 'E'], (body) => comment(id, { body }))

    const page = await member.rest.caseCommentList!({ id, query: { page: 2, limit: 2 } })
    expect(values(page, 'body')).toEqual(['C', 'D'])
    expect({ ...page.body, data: null }).toEqual({
      data: null,
      page: 2,
      limit: 2,
      total: 5,
      totalPages: 3,
      hasMore: true,
      nextCursor: expect.any(String),
    })
    const { nextCursor } = page.body
    const next = await member.rest.caseCommentList!({
      id,
      query: { cursor: nextCursor, limit: 2, includeTotal: false },
    })
    expect(values(next, 'body')).toEqual(['E'])
    expect({ ...next.body, data: null }).toEqual({ data: null, page: 1, limit: 2, hasMore: false, nextCursor: null })
    expect(values(await member.rest.caseCommentList!({ id }), 'body')).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect((await member.rest.caseCommentList!({ id: newId() })).status).toBe(404)
  })
})

describe('caseSummarize', () => {
  const description = 'Dock 3 prints labels without a barcode. Docks 1 and 2 are fine.'

  it('summarizes the case and its comments, and stores the summary on the case', async () => {
    const { id } = await supportCase(member, { description })
    await comment(id, { body: 'The barcode zone of dock 3 was lost. I restored the labels of dock 3!' })
    const { status, body } = await member.rest.caseSummarize!({ id })

    expect([status, body]).toEqual([
      200,
      {
        caseId: id,
        summary:
          'Labels print without a barcode. Dock 3 prints labels without a barcode. The barcode zone of dock 3 was lost. I restored the labels of dock 3!',
        keyPoints: [
          'Dock 3 prints labels without a barcode.',
          'I restored the labels of dock 3!',
          'The barcode zone of dock 3 was lost.',
          'Docks 1 and 2 are fine.',
        ],
        generatedAt: platform.now.toISOString(),
        model: 'extractive-1',
        // The first public comment made it the second version, the summary the third.
        basedOnVersion: 3,
      },
    ])
    const { caseId, ...summary } = body
    expect(caseId).toBe(id)
    const read = (await member.rest.case!({ id })).body
    expect([read.aiSummary, read.version]).toEqual([summary, summary.basedOnVersion])
  })

  it('returns the same summary for the same text, with the version that it is based on', async () => {
    const { id } = await supportCase(member, { description })
    const first = await member.rest.caseSummarize!({ id })
    const again = await member.rest.caseSummarize!({ id })
    platform.advanceClock(1000)
    const later = await member.rest.caseSummarize!({ id })
    const other = await supportCase(member, { description }).then((twin) => member.rest.caseSummarize!({ id: twin.id }))

    expect(first.body.basedOnVersion).toBe(2)
    expect(again.body).toEqual({ ...first.body, basedOnVersion: 3 })
    expect(later.body).toEqual({ ...first.body, basedOnVersion: 4, generatedAt: platform.now.toISOString() })
    expect(other.body).toEqual({ ...later.body, basedOnVersion: 2, caseId: other.body.caseId })
    expect(await platform.eventTypesOf(id)).toEqual(['case.created', ...Array(3).fill('case.updated')])
  })

  it('answers 404 for a case that does not exist', async () => {
    expect(await refused(platform, () => member.rest.caseSummarize!({ id: newId() }))).toEqual([404, 'NOT_FOUND'])
  })
})
