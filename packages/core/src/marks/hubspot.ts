/** The mark of HubSpot, in its colours: inline SVG. */
export const hubspotMark: string =
  '<svg class="color" viewBox="0 0 24 24">' +
  '<path fill="none" stroke="#ff5c35" stroke-width="2.4" d="M10.7 15.2a4.4 4.4 0 1 1 8.8 0a4.4 4.4 0 1 1-8.8 0"/>' +
  '<path fill="none" stroke="#ff5c35" stroke-width="1.9" d="M15.1 11V6M4.4 4.8L12 12M8 21.4L12 18.2"/>' +
  '<path fill="#ff5c35" d="M12.8 4.4a2.3 2.3 0 1 1 4.6 0a2.3 2.3 0 1 1-4.6 0M2 4.4a2.3 2.3 0 1 1 4.6 0a2.3 2.3 0 1 1-4.6 0M6 21.2a1.9 1.9 0 1 1 3.8 0a1.9 1.9 0 1 1-3.8 0"/>' +
  '</svg>'
