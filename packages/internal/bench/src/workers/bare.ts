const worker = {
  async fetch(): Promise<Response> {
    return new Response('ok')
  },
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
