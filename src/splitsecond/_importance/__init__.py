"""Importance of variables: RID over bootstraps, and the reliance of one tree."""
