import { describe, expect, it } from 'vitest'
import { mailContent } from './mail-content.ts'

describe('mailContent', () => {
  it('has the same content as text and as HTML, and escapes all input in the HTML', () => {
    const url = 'https://crm.example.com/?a=1&b=2'
    const { subject, text, html } = mailContent({
      subject: 'Join\r\nBcc: x',
      lines: ['<b>Ann</b> & Co invite you.'],
      action: { label: 'Join', url },
      closing: ['Bye.'],
    })
    expect(subject).toBe('Join Bcc: x')
    expect(text).toBe(`<b>Ann</b> & Co invite you.\n\nJoin:\n${url}\n\nBye.\n`)
    expect(html).toContain('&lt;b&gt;Ann&lt;/b&gt; &amp; Co invite you.')
    expect(html).toContain('<a href="https://crm.example.com/?a=1&amp;b=2">Join</a>')
  })

  it('shows a code', () => {
    const { text, html } = mailContent({ subject: 'Code', lines: ['Your code:'], action: { code: '12345678' } })
    expect(text).toBe('Your code:\n\n12345678\n')
    expect(html).toContain('>12345678</strong>')
  })
})
