import type { Response } from 'express'

/** For pages that run no script and send no request. */
const still = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** The common policy: scripts and requests of this origin only, no framing, no form submission. */
const base = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

const contentSecurityPolicy = {
  landing: still,
  text: still,

  /**
   * - inline styles: the bundle writes its style sheet into `<style>` elements when it loads and again for each theme;
   * - data images (in `base`): its icons and masks are data URLs in that style sheet.
   */
  docs: [...base, "style-src 'self' 'unsafe-inline'"],

  /**
   * - inline styles: the editor writes its themes and measured widths into `<style>` elements and `style` attributes;
   * - workers: the editor checks GraphQL and JSON in workers, loaded from this origin as files, never from blobs;
   * - data fonts: the icon font and the two text fonts are embedded in the bundle's style sheet.
   */
  explorer: [...base, "style-src 'self' 'unsafe-inline'", "worker-src 'self'", "font-src 'self' data:"],

  /** A worker has the policy of its own file: it may import scripts of this origin and send no request. */
  asset: ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"],
} as const

export type Policy = keyof typeof contentSecurityPolicy

export function setSecurityHeaders(res: Response, policy: Policy): void {
  res.set({
    'Content-Security-Policy': contentSecurityPolicy[policy].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
}
