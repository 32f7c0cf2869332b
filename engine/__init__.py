"""Retrieval Microscope: what did the language model do with what was retrieved for one question?"""
