/**
 * How a mail bounces with an enhanced status code (RFC 3463). A full mailbox, a mail that is too large and a refusal because of its content can
 * pass; an unknown address cannot.
 */
export const bounceTypeOf = (status: string): 'HARD' | 'SOFT' =>
  status.startsWith('5') && !/^5\.(?:2\.[23]|[367]\.)/.test(status) ? 'HARD' : 'SOFT'
