import { describe, expect, it } from 'vitest'
import { cleanMail } from './clean-mail.ts'
import { templateProblem } from './parse-template.ts'
import { renderMail, type MailTemplate } from './render-mail.ts'

const rendered = (given: Partial<MailTemplate>) =>
  renderMail({
    subject: 'Hello',
    bodyHtml: '<p>Hello</p>',
    bodyText: null,
    declared: [],
    known: ['contact.firstName', 'contact.lastName'],
    values: {},
    ...given,
  })

const content = (given: Partial<MailTemplate>) => {
  const result = rendered(given)
  if ('problem' in result) throw new Error(result.problem.message)
  return result.content
}

const html = (bodyHtml: string, values: object = {}) => content({ bodyHtml, values: values as never }).bodyHtml

describe('renderMail', () => {
  it.each([
    ['{{contact.firstName}}', 'Ida'],
    ['{{ contact.firstName | upcase }}', 'IDA'],
    ['{{contact.lastName | there}}', 'there'],
    ['{{contact.lastName | dear customer}}', 'dear customer'],
    ['{{contact.firstName | there}}', 'Ida'],
    ['{{contact.lastName | there | upcase}}', 'THERE'],
    ['{{contact.lastName | default: "you"}}', 'you'],
    ['{{contact.lastName | say "hi"}}', 'say "hi"'],
    ['{% raw %}{{contact.firstName | there}}{% endraw %}', '{{contact.firstName | there}}'],
    ['{% if contact.lastName %}x{% else %}y{% endif %}', 'y'],
    ['{% for tag in tags %}{{tag}};{% endfor %}', 'a;b;'],
  ])('%s becomes %s', (source, expected) => {
    const values = { contact: { firstName: 'Ida' }, tags: ['a', 'b'] }
    expect(content({ bodyText: source, values }).bodyText).toBe(expected)
  })

  it('escapes values and sanitises the HTML', () => {
    expect(html('<p>{{a}}</p>', { a: '<img src=x onerror=alert(1)>' })).toBe(
      '<p>&lt;img src=x onerror=alert(1)&gt;</p>',
    )
    expect(
      html(
        '<p onclick="x()" style="color:red;position:fixed;background:url(//e.example)">a</p><script>b</script><iframe src="//e.example"></iframe><form><input></form>',
      ),
    ).toBe('<p style="color:red">a</p>')
    expect(
      html('<a href="java&#10;script:x()">a</a><a href="//e.example">b</a><a href="https://e.example">c</a>'),
    ).toBe('<a>a</a><a>b</a><a href="https://e.example">c</a>')
    expect(html('<a href="{{url}}">a</a>', { url: 'javascript:alert(1)' })).toBe('<a>a</a>')
    expect(html('<img src="data:image/svg+xml;base64,AAAA" alt="a">')).toBe('<img alt="a" />')
  })

  it.each([
    '<!doctype html><html><head><meta charset="utf-8"><title>Offer</title><style>p{}</style></head><body>',
    '<noscript>Turn on scripts</noscript>',
    '<noscript><p>Turn on scripts</p></noscript>',
    '<iframe src="//e.example">No frames</iframe>',
    '<object data="a.swf"><p>No Flash</p></object>',
    '<svg><title>A drawing</title><g><text>Scale</text></g></svg>',
    '<math><mi>x</mi><mo>=</mo><mn>2</mn></math>',
    '<xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml>',
    '<!--[if gte mso 9]><xml><o:AllowPNG/></xml><![endif]-->',
    '<template><p>Row</p></template>',
    '<video>No video</video><audio>No sound</audio><canvas>No picture</canvas>',
    '<select><option>One</option></select><textarea>Two</textarea>',
  ])('has nothing of %s', (before) => {
    const bodyHtml = `${before}<p>Hello</p>`
    expect(content({ bodyHtml })).toMatchObject({ bodyHtml: '<p>Hello</p>', bodyText: 'Hello' })
    expect(cleanMail({ bodyHtml, bodyText: null })).toMatchObject({ bodyHtml: '<p>Hello</p>', bodyText: 'Hello' })
  })

  it('derives the text from the HTML', () => {
    const bodyHtml = '<h1>Offer</h1><p>Until <b>Friday</b>, see <a href="https://e.example/o">the offer</a>.</p>'
    expect(content({ bodyHtml }).bodyText).toBe('Offer\n\nUntil Friday, see the offer (https://e.example/o).')
  })

  it('writes the subject in one line of at most 255 characters', () => {
    expect(content({ subject: 'Hi {{a}}', values: { a: 'x\r\nBcc: eve@example.com\u0000\u2028y' } }).subject).toBe(
      'Hi x Bcc: eve@example.com y',
    )
    expect(content({ subject: '{{a}}', values: { a: 'ä'.repeat(400) } }).subject).toHaveLength(255)
  })

  it('lists missing and unknown variables', () => {
    const declared = [
      { name: 'offer.deadline', required: true, defaultValue: null },
      { name: 'offer.code', required: true, defaultValue: 'X1' },
      { name: 'offer.note', required: false, defaultValue: null },
    ]
    const bodyHtml = `{{contact.firstName}} {{contact.lastName | you}} {{offer.deadline}} {{offer.code}} {{offer.note}}
      {{deal.size}} {% for item in offer.items %}{{item.name}}{% endfor %}`
    expect(content({ bodyHtml, declared })).toMatchObject({
      missingVariables: ['contact.firstName', 'offer.deadline'],
      unknownVariables: ['offer.items', 'deal'],
    })
    expect(
      content({ bodyHtml: '{% if contact.firstName %}{{contact.firstName}}{% endif %}' }).missingVariables,
    ).toEqual([])
    const once = '{{contact.firstName | default: "you"}} and {{contact.firstName}}'
    expect(content({ bodyHtml: once }).missingVariables).toEqual(['contact.firstName'])
    const quoted = '{{contact.firstName | append: "| default: x"}}'
    expect(content({ bodyHtml: quoted }).missingVariables).toEqual(['contact.firstName'])
    expect(content({ bodyHtml: '{{contact.firstName}}', values: { 'contact.firstName': 'Ida' } })).toMatchObject({
      bodyHtml: 'Ida',
      missingVariables: [],
    })
  })

  it('reads own properties only', () => {
    const values = JSON.parse('{"contact": {"__proto__": {"x": 1}}, "__proto__.polluted": "yes"}') as object
    const source = '[{{contact.constructor.name}}{{contact.toString}}{{constructor}}{{contact.x}}]'
    expect(html(source, values)).toBe('[]')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each([
    ['a huge range', '{% for i in (1..1000000000) %}x{% endfor %}', 'TOO_EXPENSIVE'],
    // Long pieces, so that the limit of length is reached long before that of time.
    ['much output', `{% for i in (1..3000) %}${'y'.repeat(500)}{% endfor %}`, 'TOO_LONG'],
    [
      'much captured',
      `{% capture a %}{% for i in (1..3000) %}${'x'.repeat(500)}{% endfor %}{% endcapture %}`,
      'TOO_LONG',
    ],
    [
      'doubling text',
      '{% assign a = "aaaaaaaa" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}',
      'TOO_EXPENSIVE',
    ],
    ['an include', '{% include "a" %}', 'TEMPLATE_SYNTAX'],
    ['a render', '{% render "/etc/passwd" %}', 'TEMPLATE_SYNTAX'],
    ['a layout', '{% layout "a" %}', 'TEMPLATE_SYNTAX'],
    ['an unknown filter', '{{ a | nope: 1 }}', 'TEMPLATE_SYNTAX'],
    ['an open output', '{{ a ', 'TEMPLATE_SYNTAX'],
    ['an open block', '{% if a %}', 'TEMPLATE_SYNTAX'],
    ['21 blocks', '{% if a %}'.repeat(21) + '{% endif %}'.repeat(21), 'TOO_DEEP'],
    ['1,001 outputs', '{{a}}'.repeat(1001), 'TOO_MANY'],
    ['a long output', `{{ a${' | upcase'.repeat(300)} }}`, 'TOO_LONG'],
    ['many long tags', `{{ ${'a'.repeat(1900)} }}`.repeat(27), 'TOO_LONG'],
    ['deep brackets', `{{ ${'a['.repeat(900)}0${']'.repeat(900)} }}`, 'TOO_LONG'],
    ['501 elements inside one another', '<div>'.repeat(501), 'TOO_DEEP'],
    ['elements whose ends are in comments', '<div><!-- </div> -->'.repeat(501), 'TOO_DEEP'],
    ['a date of a million digits', '{{ "2026-01-01" | date: "%99999999d" }}', 'TOO_EXPENSIVE'],
  ])('refuses %s', (_, bodyHtml, code) => {
    expect(rendered({ bodyHtml })).toMatchObject({ problem: { path: 'bodyHtml', code } })
  })

  it('ends endless work after one second', () => {
    const bodyHtml = '{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}'
    const begin = performance.now()
    expect(rendered({ bodyHtml })).toMatchObject({ problem: { code: 'TOO_EXPENSIVE' } })
    expect(performance.now() - begin).toBeLessThan(3000)
  })
})

describe('templateProblem', () => {
  it('accepts templates at their limits', () => {
    expect(templateProblem('{{a}}'.repeat(1000))).toBeNull()
    expect(templateProblem('{% if a %}'.repeat(20) + '{% endif %}'.repeat(20))).toBeNull()
    expect(templateProblem('x'.repeat(100_000))).toBeNull()
    expect(templateProblem(`{{${'a'.repeat(1996)}}}`.repeat(25))).toBeNull()
  })
})
